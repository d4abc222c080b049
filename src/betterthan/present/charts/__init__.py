"""Charts: a function from a result (or a table) to an Altair chart. Nothing is tested or drawn at random here.

One family of questions a module. Text from users is data, never the name of a field or part of a Vega expression;
what is embedded is bounded, and a chart that leaves something out says so.
"""
