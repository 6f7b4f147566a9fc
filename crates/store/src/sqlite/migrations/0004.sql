-- Files that people attach to messages, in pieces, so that none is ever whole in memory. Rows are only ever appended
-- and shrunk, as in `content`. A piece is written while its file is still being uploaded: `file_blob` says which are
-- complete.
CREATE TABLE file_piece (
    row     INTEGER PRIMARY KEY, -- in the order of the bytes
    blob    BLOB NOT NULL,
    created INTEGER NOT NULL,
    bytes   BLOB                 -- NULL once erased
) STRICT;

CREATE INDEX file_piece_blob ON file_piece (blob) WHERE bytes IS NOT NULL;

-- The bytes of complete files, once each.
CREATE TABLE file_blob (
    row    INTEGER PRIMARY KEY,
    id     BLOB NOT NULL UNIQUE, -- that of the file that brought them
    sha256 BLOB UNIQUE           -- NULL once erased
) STRICT;

CREATE TABLE file (
    row     INTEGER PRIMARY KEY,
    id      BLOB NOT NULL UNIQUE,
    owner   INTEGER NOT NULL, -- the stream; a negative, wider number while no message has the file: rows only shrink
    actor   TEXT,
    created INTEGER NOT NULL,
    len     INTEGER,          -- NULL once erased
    blob    BLOB,
    meta    TEXT
) STRICT;

CREATE INDEX file_owner ON file (owner) WHERE len IS NOT NULL;
CREATE INDEX file_of_blob ON file (blob) WHERE blob IS NOT NULL;
