
By0JÐcÓcÖcÙcÜcßcâc