"""Tables before their meaning is known: text, JSON, Parquet and frames as named columns and rows."""
