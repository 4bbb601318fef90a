"""The whole story on real film reviews: a planted trigger, a classifier that falls, and one that holds."""

from textward.demo.pages import demo_page
from textward.demo.reviews import reviews
from textward.demo.story import Contender, Story, Toll, play

__all__ = ["Contender", "Story", "Toll", "demo_page", "play", "reviews"]
