,__version__ = '14.0.1'
