
By0J¦]l\Ê^üXP\F]aW8V_`ŠUuUß`