"""Libraries as tools for agents, by the Model Context Protocol: `decoct mcp`."""
