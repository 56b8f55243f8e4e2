'__version__ = '2.4.1+cu121'
cuda: Optional[str] = '12.1'
hip = None
