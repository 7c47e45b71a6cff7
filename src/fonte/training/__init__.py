"""What is trained from effects and labels; each module is imported where it is used, since training needs torch."""
