"""Questions that go on with a conversation: what is meant by "And who was his wife?"."""
