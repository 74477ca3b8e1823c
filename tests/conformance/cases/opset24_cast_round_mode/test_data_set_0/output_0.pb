
By0JÆ¹mBM¶4¿r»Þµ