"""Does one metric agree better with human scores than another? Tests that swap their scores."""
