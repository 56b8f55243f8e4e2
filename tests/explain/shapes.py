#!/usr/bin/env python3
"""Every CUDA error in every wording that programs give it, and every library in every wording of a loader that does not
find it: the first cause must be one of those that the error can have. A hole here is a kind of report that gets no
answer. Sources: CUDA Runtime and Driver API (names, numbers, cudaGetErrorString); the wordings are those of pytorch,
TensorFlow, CuPy, numba, NCCL, caffe, Paddle, onnxruntime, llama.cpp, MXNet, ld.so, musl, ldd, Windows."""
import concurrent.futures
import json
import os
import subprocess
import sys

TENON = os.environ.get('TENON', os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build/tenon'))
# runtime name, driver name, number, text, causes that it can have
ERRORS = [
    ('cudaErrorMemoryAllocation', 'CUDA_ERROR_OUT_OF_MEMORY', 2, 'out of memory',
     'gpu-busy memory-preallocated out-of-memory'),
    ('cudaErrorStubLibrary', 'CUDA_ERROR_STUB_LIBRARY', 34, 'CUDA driver is a stub library',
     'stub-libcuda-loaded'),
    ('cudaErrorInsufficientDriver', '', 35, 'CUDA driver version is insufficient for CUDA runtime version',
     'driver-too-old'),
    ('cudaErrorDevicesUnavailable', 'CUDA_ERROR_DEVICE_UNAVAILABLE', 46, 'all CUDA-capable devices are busy or unavailable',
     'gpu-busy mig-misconfigured'),
    ('cudaErrorInvalidDeviceFunction', '', 98, 'invalid device function',
     'arch-unsupported'),
    ('cudaErrorNoDevice', 'CUDA_ERROR_NO_DEVICE', 100, 'no CUDA-capable device is detected',
     'driver-not-loaded gpu-hidden-by-env no-nvidia-gpu'),
    ('cudaErrorInvalidDevice', 'CUDA_ERROR_INVALID_DEVICE', 101, 'invalid device ordinal',
     'gpu-hidden-by-env'),
    ('cudaErrorInvalidKernelImage', 'CUDA_ERROR_INVALID_IMAGE', 200, 'device kernel image is invalid',
     'arch-unsupported'),
    ('cudaErrorNoKernelImageForDevice', 'CUDA_ERROR_NO_BINARY_FOR_GPU', 209, 'no kernel image is available for execution on the device',
     'arch-unsupported'),
    ('cudaErrorECCUncorrectable', 'CUDA_ERROR_ECC_UNCORRECTABLE', 214, 'uncorrectable ECC error encountered',
     'gpu-hardware-fault'),
    ('cudaErrorPeerAccessUnsupported', 'CUDA_ERROR_PEER_ACCESS_UNSUPPORTED', 217, 'peer access is not supported between these two devices',
     'peer-to-peer-broken'),
    ('cudaErrorInvalidPtx', 'CUDA_ERROR_INVALID_PTX', 218, 'a PTX JIT compilation failed',
     'arch-unsupported cuda-tools-missing driver-too-old'),
    ('cudaErrorNvlinkUncorrectable', 'CUDA_ERROR_NVLINK_UNCORRECTABLE', 220, 'uncorrectable NVLink error detected during the execution',
     'gpu-hardware-fault'),
    ('cudaErrorJitCompilerNotFound', 'CUDA_ERROR_JIT_COMPILER_NOT_FOUND', 221, 'PTX JIT compiler library not found',
     'container-capability-missing container-toolkit-missing driver-install-failed driver-missing'),
    ('cudaErrorUnsupportedPtxVersion', 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION', 222, 'the provided PTX was compiled with an unsupported toolchain',
     'driver-too-old'),
    ('cudaErrorOperatingSystem', 'CUDA_ERROR_OPERATING_SYSTEM', 304, 'OS call failed or operation not supported on this OS',
     'device-permission driver-not-loaded uvm-unavailable wsl-driver'),
    ('cudaErrorIllegalAddress', 'CUDA_ERROR_ILLEGAL_ADDRESS', 700, 'an illegal memory access was encountered',
     'illegal-access'),
    ('cudaErrorLaunchTimeout', 'CUDA_ERROR_LAUNCH_TIMEOUT', 702, 'the launch timed out and was terminated',
     'kernel-timeout'),
    ('cudaErrorAssert', 'CUDA_ERROR_ASSERT', 710, 'device-side assert triggered',
     'illegal-access'),
    ('cudaErrorHardwareStackError', 'CUDA_ERROR_HARDWARE_STACK_ERROR', 714, 'hardware stack error',
     'gpu-hardware-fault illegal-access'),
    ('cudaErrorIllegalInstruction', 'CUDA_ERROR_ILLEGAL_INSTRUCTION', 715, 'an illegal instruction was encountered',
     'gpu-hardware-fault illegal-access'),
    ('cudaErrorMisalignedAddress', 'CUDA_ERROR_MISALIGNED_ADDRESS', 716, 'misaligned address',
     'illegal-access'),
    ('cudaErrorLaunchFailure', 'CUDA_ERROR_LAUNCH_FAILED', 719, 'unspecified launch failure',
     'gpu-hardware-fault illegal-access kernel-timeout'),
    ('cudaErrorSystemNotReady', 'CUDA_ERROR_SYSTEM_NOT_READY', 802, 'system not yet initialized',
     'fabric-manager-down'),
    ('cudaErrorSystemDriverMismatch', 'CUDA_ERROR_SYSTEM_DRIVER_MISMATCH', 803, 'system has unsupported display driver / cuda driver combination',
     'driver-library-mismatch'),
    ('cudaErrorCompatNotSupportedOnDevice', 'CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE', 804, 'forward compatibility was attempted on non supported HW',
     'driver-library-mismatch forward-compat-unsupported'),
    ('cudaErrorMpsConnectionFailed', 'CUDA_ERROR_MPS_CONNECTION_FAILED', 805, 'MPS client failed to connect to the MPS control daemon or the MPS server',
     'gpu-busy mig-misconfigured'),
    ('cudaErrorUnknown', 'CUDA_ERROR_UNKNOWN', 999, 'unknown error',
     'uvm-unavailable'),
]
ERROR_WORDS = [
    'RuntimeError: CUDA error: {t}',
    'RuntimeError: cuda runtime error ({n}) : {t} at /pytorch/aten/src/THC/THCGeneral.cpp:50',
    'THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=50 error={n} : {t}',
    '{r}: {t}',
    'failed call to cuInit: {d}: {t}',
    'CUDA error {n}: {t}',
    'Cuda failure {n} \'{t}\'',
    'Check failed: error == cudaSuccess ({n} vs. 0)  {t}',
    'CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error {n}: {t}',
    'numba.cuda.cudadrv.driver.CudaAPIError: [{n}] Call to cuInit results in {d}',
    'cupy_backends.cuda.api.runtime.CUDARuntimeError: {r}: {t}',
    'cudaGetDeviceCount returned {n}\n-> {t}',
    'CUDA error({n}), {t}.',
    '[ONNXRuntimeError] : 1 : FAIL : CUDA failure {n}: {t} ; GPU=0 ; hostname=h ; expr=cudaSetDevice(0);',
    'ggml_cuda_init: failed to initialize CUDA: {t}',
    'mxnet.base.MXNetError: Check failed: e == cudaSuccess: CUDA: {t}',
    'CUDA driver error: {t}',
    'CUDA_CHECK: {d} ({n})',
    'gpuAssert: {t} main.cu 10',
]
SHARED = 'libcudart.so.11.0 libcublas.so.12 libcublasLt.so.11 libcufft.so.10 libcurand.so.10 libcusolver.so.11 libcusparse.so.12 libcudnn.so.8 libcudnn.so.9 libcudnn_cnn_infer.so.8 libnccl.so.2 libcupti.so.12 libnvrtc.so.12 libnvJitLink.so.12 libcudart.so.12'.split()
SHARED_WORDS = [
    'W dso_loader.cc:64] Could not load dynamic library \'{l}\'; dlerror: {l}: cannot open shared object file: No such file or directory',
    'ImportError: {l}: cannot open shared object file: No such file or directory',
    'OSError: {l}: cannot open shared object file: No such file or directory',
    './app: error while loading shared libraries: {l}: cannot open shared object file: No such file or directory',
    'RuntimeError: Library {l} is not found or cannot be loaded',
    'Could not load library {l}. Error: {l}: cannot open shared object file',
    'RuntimeError: Failed to dlopen {l}',
    'Unable to load {l}',
    '[E:onnxruntime:Default, provider_bridge_ort.cc:1992] FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: {l}: cannot open shared object file: No such file or directory',
    'W0203 dynamic_loader.cc:307] The third-party dynamic library ({l}) that Paddle depends on is not configured correctly.',
    '\t{l} => not found',
    'RuntimeError: CuPy failed to load {l}: OSError: {l}: cannot open shared object file: No such file or directory',
    'E tensorflow/stream_executor/dso_loader.cc: Couldn\'t open CUDA library {l}. LD_LIBRARY_PATH:',
    '{l}: 无法打开共享对象文件: 没有那个文件或目录',
    '找不到 {l}',
    'Error loading shared library {l}: No such file or directory (needed by x)',
    'Fatal error: Could not open library {l}',
    'UnsatisfiedLinkError: {l}: cannot open shared object file: No such file or directory',
]
DLLS = 'cudart64_110.dll cublas64_12.dll cublasLt64_11.dll cufft64_11.dll cusolver64_11.dll cudnn64_8.dll cudnn_ops64_9.dll nvrtc64_120_0.dll zlibwapi.dll'.split()
DLL_WORDS = [
    'Could not load dynamic library \'{l}\'; dlerror: {l} not found',
    'ImportError: Could not find \'{l}\'. TensorFlow requires that this DLL be installed in a directory that is named in your %PATH%',
    'FileNotFoundError: Could not find module \'{l}\' (or one of its dependencies). Try using the full path with constructor syntax.',
    'The code execution cannot proceed because {l} was not found. Reinstalling the program may fix this problem.',
    '由于找不到 {l}，无法继续执行代码。重新安装程序可能会解决此问题。',
    'The program can\'t start because {l} is missing from your computer.',
    '无法启动此程序，因为计算机中丢失 {l}。尝试重新安装该程序以解决此问题。',
    'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\env\\lib\\{l}" or one of its dependencies.',
    'OSError: [WinError 126] 找不到指定的模块。 Error loading "C:\\env\\lib\\{l}" or one of its dependencies.',
    'Could not locate {l}. Please make sure it is in your library path!',
    'Could not load library {l}. Error code 126',
    'RuntimeError: Library {l} is not found or cannot be loaded',
    'Error loading "onnxruntime_providers_cuda.dll" which depends on "{l}" which is missing.',
    'Unable to load {l}',
    'LoadLibrary failed: {l}',
]
MISSING = set('cuda-runtime-missing cuda-version-mismatch cuda-not-on-loader-path dll-search-path cudnn-missing '
              'cudnn-version-mismatch cudnn-incomplete nvidia-wheels-missing cuda-tools-missing'.split())


def texts():
    for runtime, driver, number, text, causes in ERRORS:
        for words in ERROR_WORDS:
            if driver or '{d}' not in words:
                yield words.format(r=runtime, d=driver, n=number, t=text), set(causes.split())
    for names, wordings in ((SHARED, SHARED_WORDS), (DLLS, DLL_WORDS)):
        for words in wordings:
            for name in names:
                yield words.format(l=name), MISSING


def ask(item):
    text, good = item
    r = subprocess.run([TENON, 'explain', '--json', '--no-join', '-'], input=('GPU: RTX 3090\n' + text + '\n').encode(),
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if r.returncode not in (0, 1):
        return '%s: exit %d' % (text, r.returncode)
    got = [f['cause'] for f in json.loads(r.stdout)['findings'] if f['status'] not in ('ruled_out', 'untestable')]
    return None if got and got[0] in good else '%s: %s' % (text, got[:2] or 'nothing')


def main():
    every = list(texts())
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        bad = [x for x in pool.map(ask, every) if x]
    for x in bad:
        print('  ' + x)
    print('%d texts, %d with another first cause, or none' % (len(every), len(bad)))
    sys.exit(1 if bad else 0)


main()
