"""A run's reply in Slack: `replies(client, me, clock)` gives what the worker calls."""

from bot.reply.thread_reply import EVENT_TYPE, ThreadReply, replies

__all__ = ["EVENT_TYPE", "ThreadReply", "replies"]
