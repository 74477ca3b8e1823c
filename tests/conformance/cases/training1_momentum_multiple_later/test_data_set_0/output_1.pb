BX2_newJOu4?¨:
@