# --verbose counts and lists what was looked up, with its origin; a plain verdict does not.
$ tenon doctor --from $SHARED_MACHINES/five-versions.json --verbose
out Environments
out /home/ada/tf: 
out Environment variables
out LD_LIBRARY_PATH = /home/ada/miniconda3/envs/tf/lib
out meaning: Searched before the system cache
out trap: Shadows the nvidia-* wheels

$ tenon doctor --from $SHARED_MACHINES/five-versions.json --verbose --lang zh
out 环境变量
out 含义：在系统缓存（以及 RUNPATH）之前搜索共享库的目录
out 常见错误：会遮住 nvidia-* wheel

$ tenon doctor --from $SHARED_MACHINES/five-versions.json
not Environment variables
not Limits

# This machine: disks and limits are asked for, settings shown without their passwords and never changed.
$ mkdir -p home/.config/pip && printf '[global]\nindex-url = https://ada:geheim@pypi.corp.example/simple\n' > home/.config/pip/pip.conf && cp home/.config/pip/pip.conf before && HOME=$PWD/home HTTPS_PROXY=http://ada:geheim@proxy:3128 tenon doctor --verbose --expect cpu && cmp before home/.config/pip/pip.conf
out Settings of installers
out pip: global.index-url = https://pypi.corp.example/simple
out environment: HTTPS_PROXY = http://proxy:3128
not geheim
out Disks
out home: 
out Limits
out nofile: 

# A table with texts in two languages shows one of them.
$ tenon table env_vars --lang zh
out 进程可见的 GPU 编号
not List of GPU numbers

$ tenon table env_vars
out List of GPU numbers
not 进程可见
