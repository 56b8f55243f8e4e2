)package_name = 'onnxruntime-gpu'
__version__ = '1.20.0'
cuda_version = '12.4'
