$build_info = collections.OrderedDict([('cuda_version', '12.2'), ('is_cuda_build', True)])
