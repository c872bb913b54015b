"""Files of offices: Word, PowerPoint, OpenDocument, RTF and the old compound files."""
