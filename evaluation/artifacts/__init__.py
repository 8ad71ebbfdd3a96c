"""Agent challenges: lay out workspaces, run agents, check and report what they leave."""
