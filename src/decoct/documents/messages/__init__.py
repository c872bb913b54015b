"""Messages: mail, mailboxes, appointments and contacts."""
