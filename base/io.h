/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for I/O that engine, tables, store and report share. */
#ifndef BASE_IO_H
#define BASE_IO_H

enum io_pattern { IO_RAND, IO_SEQ };
enum io_dir { IO_READ, IO_WRITE, IO_DIRS };

static inline const char *io_pattern_word(enum io_pattern p)
{
	return p == IO_SEQ ? "SEQ" : "RND";
}

#endif
