"""Tables of every format: workbooks, CSV and records, and the grid that all tables fill."""
