"""Is one metric more like people than another? Tests that swap their scores."""
