-- Heads may be written later than the events that they are folded from, in bulk like the indexes. Those of the streams
-- that have events above `heads` may be behind; NULL: none is.
ALTER TABLE indexed ADD COLUMN heads INTEGER;
