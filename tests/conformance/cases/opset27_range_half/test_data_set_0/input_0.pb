
Bx0JÐc