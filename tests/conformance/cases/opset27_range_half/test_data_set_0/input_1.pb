
Bx1Jäc