-- Names are long and repeated; everything else refers to a stream by number.
CREATE TABLE stream (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The log. Rows are only ever appended, and only ever changed by setting `data` to NULL.
CREATE TABLE event (
    seq     INTEGER PRIMARY KEY,
    stream  INTEGER NOT NULL, -- the writer makes it before; a foreign key would look it up for each row
    version INTEGER, -- of a control event
    ordinal INTEGER, -- of an item event
    id      BLOB NOT NULL,
    ts      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    v       INTEGER NOT NULL,
    data    TEXT,    -- NULL once the stream was erased
    content BLOB,    -- of an item event; the row it names may be empty by now
    CHECK ((version IS NULL) <> (ordinal IS NULL))
) STRICT;

-- Where the events of a stream are in the log. Every stream that takes an event would dirty a page of an index of
-- SQLite's own, with each transaction. So these are filled in bulk, a few thousand events at a time; those above
-- `indexed.event` are not in them yet and are found at the end of the log.
CREATE TABLE control (
    stream  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (stream, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
    stream  INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (stream, ordinal)
) STRICT, WITHOUT ROWID;

-- What the fold makes of each stream. Derived: it can be emptied and built again from `event`.
CREATE TABLE stream_head (
    stream  INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    items   INTEGER NOT NULL,
    ts      INTEGER NOT NULL,
    live    INTEGER NOT NULL,
    epoch   INTEGER NOT NULL,
    state   BLOB NOT NULL
) STRICT;

-- The live ones among them, by name: boot loads these, page by page, however many others there are.
CREATE TABLE live (
    name   TEXT PRIMARY KEY,
    stream INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Large texts, once each. An erased row stays, empty: see `content`.
CREATE TABLE blob (
    id     INTEGER PRIMARY KEY,
    sha256 BLOB UNIQUE,
    zstd   BLOB
) STRICT;

-- Texts. Rows are appended and only ever shrink, because SQLite moves a row to another page only when rows
-- grow or go, and what it moved stays readable in the free space of the page it came from. So an erased row
-- is emptied where it stands, not deleted.
CREATE TABLE content (
    row    INTEGER PRIMARY KEY,
    id     BLOB NOT NULL UNIQUE,
    owner  INTEGER NOT NULL REFERENCES stream (id),
    len    INTEGER,  -- NULL once the row is erased
    sha256 BLOB,
    text   TEXT,     -- all of it, or else head and tail of the blob's
    head   TEXT,
    tail   TEXT,
    blob   INTEGER REFERENCES blob (id),
    extra  TEXT
) STRICT;

CREATE INDEX content_owner ON content (owner) WHERE len IS NOT NULL;
CREATE INDEX content_blob ON content (blob) WHERE blob IS NOT NULL;

-- Requests that were answered, in the order of time, so that the expired ones are found first. A key that was used
-- again after it expired has more than one row.
CREATE TABLE idempotency (
    row     INTEGER PRIMARY KEY, -- never used twice
    hash    INTEGER NOT NULL,    -- of scope and key
    scope   TEXT NOT NULL,
    key     TEXT NOT NULL,
    body    BLOB NOT NULL,
    receipt TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;

-- Where a key is, filled in bulk like `control`: rows above `indexed.key` are not in it yet.
CREATE TABLE idempotency_hash (
    hash INTEGER NOT NULL,
    row  INTEGER NOT NULL,
    PRIMARY KEY (hash, row)
) STRICT, WITHOUT ROWID;

-- How far the indexes are filled. One row.
CREATE TABLE indexed (
    event INTEGER NOT NULL,
    key   INTEGER NOT NULL
) STRICT;
INSERT INTO indexed (event, key) VALUES (0, 0);
