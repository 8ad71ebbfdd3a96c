"""The known code of an agent."""
