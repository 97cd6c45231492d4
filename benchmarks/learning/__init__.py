"""Who asks and who judges: classifiers from few labels beside their rivals."""
