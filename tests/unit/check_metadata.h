/* check_metadata.h - Requires-Dist of real wheels (Linux, x86-64; read in their METADATA on 2026-12-01; extras left out
 * but those that JAX and cuda-toolkit are about). */
#ifndef TN_TEST_CHECK_METADATA_H
#define TN_TEST_CHECK_METADATA_H

#include <stddef.h>

static const char *const meta_tensorflow_2_10_1[] = {
    "absl-py (>=1.0.0)",
    "astunparse (>=1.6.0)",
    "flatbuffers (>=2.0)",
    "gast (<=0.4.0,>=0.2.1)",
    "google-pasta (>=0.1.1)",
    "grpcio (<2.0,>=1.24.3)",
    "h5py (>=2.9.0)",
    "keras (<2.11,>=2.10.0)",
    "keras-preprocessing (>=1.1.1)",
    "libclang (>=13.0.0)",
    "numpy (>=1.20)",
    "opt-einsum (>=2.3.2)",
    "packaging",
    "protobuf (<3.20,>=3.9.2)",
    "setuptools",
    "six (>=1.12.0)",
    "tensorboard (<2.11,>=2.10)",
    "tensorflow-io-gcs-filesystem (>=0.23.1)",
    "tensorflow-estimator (<2.11,>=2.10.0)",
    "termcolor (>=1.1.0)",
    "typing-extensions (>=3.6.6)",
    "wrapt (>=1.11.0)",
    NULL,
};

static const char *const meta_tensorflow_2_15_1[] = {
    "absl-py (>=1.0.0)",
    "astunparse (>=1.6.0)",
    "flatbuffers (>=23.5.26)",
    "gast (!=0.5.0,!=0.5.1,!=0.5.2,>=0.2.1)",
    "google-pasta (>=0.1.1)",
    "h5py (>=2.9.0)",
    "libclang (>=13.0.0)",
    "ml-dtypes (~=0.3.1)",
    "numpy (<2.0.0,>=1.23.5)",
    "opt-einsum (>=2.3.2)",
    "packaging",
    "protobuf (!=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,<5.0.0dev,>=3.20.3)",
    "setuptools",
    "six (>=1.12.0)",
    "termcolor (>=1.1.0)",
    "typing-extensions (>=3.6.6)",
    "wrapt (<1.15,>=1.11.0)",
    "tensorflow-io-gcs-filesystem (>=0.23.1)",
    "grpcio (<2.0,>=1.24.3)",
    "tensorboard (<2.16,>=2.15)",
    "tensorflow-estimator (<2.16,>=2.15.0)",
    "keras (<2.16,>=2.15.0)",
    "tensorflow-cpu-aws (==2.15.1) ; platform_system == 'Linux' and (platform_machine == 'arm64' or platform_machine "
    "== 'aarch64')",
    "tensorflow-intel (==2.15.1) ; platform_system == 'Windows'",
    NULL,
};

static const char *const meta_tensorflow_2_18_1[] = {
    "absl-py >=1.0.0",
    "astunparse >=1.6.0",
    "flatbuffers >=24.3.25",
    "gast !=0.5.0,!=0.5.1,!=0.5.2,>=0.2.1",
    "google-pasta >=0.1.1",
    "libclang >=13.0.0",
    "opt-einsum >=2.3.2",
    "packaging",
    "protobuf !=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,<6.0.0dev,>=3.20.3",
    "requests <3,>=2.21.0",
    "setuptools",
    "six >=1.12.0",
    "termcolor >=1.1.0",
    "typing-extensions >=3.6.6",
    "wrapt >=1.11.0",
    "grpcio <2.0,>=1.24.3",
    "tensorboard <2.19,>=2.18",
    "keras >=3.5.0",
    "numpy <2.1.0,>=1.26.0",
    "h5py >=3.11.0",
    "ml-dtypes <1.0.0,>=0.4.0",
    "tensorflow-intel ==2.18.1 ; platform_system == 'Windows'",
    "tensorflow-io-gcs-filesystem >=0.23.1 ; python_version < '3.12'",
    NULL,
};

static const char *const meta_tensorflow_2_21_0[] = {
    "absl-py>=1.0.0",
    "astunparse>=1.6.0",
    "flatbuffers>=25.9.23",
    "gast!=0.5.0,!=0.5.1,!=0.5.2,>=0.2.1",
    "google_pasta>=0.1.1",
    "libclang>=13.0.0",
    "opt_einsum>=2.3.2",
    "packaging",
    "protobuf<8.0.0,>=6.31.1",
    "requests<3,>=2.21.0",
    "setuptools",
    "six>=1.12.0",
    "termcolor>=1.1.0",
    "typing_extensions>=3.6.6",
    "wrapt>=1.11.0",
    "grpcio<2.0,>=1.24.3",
    "keras>=3.12.0",
    "numpy>=1.26.0",
    "h5py<3.15.0,>=3.11.0",
    "ml_dtypes<1.0.0,>=0.5.1",
    NULL,
};

static const char *const meta_torch_2_5_1[] = {
    "filelock",
    "typing-extensions (>=4.8.0)",
    "networkx",
    "jinja2",
    "fsspec",
    "nvidia-cuda-nvrtc-cu12 (==12.4.127) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cuda-runtime-cu12 (==12.4.127) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cuda-cupti-cu12 (==12.4.127) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cublas-cu12 (==12.4.5.8) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cufft-cu12 (==11.2.1.3) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-curand-cu12 (==10.3.5.147) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cusolver-cu12 (==11.6.1.9) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cusparse-cu12 (==12.3.1.170) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nccl-cu12 (==2.21.5) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nvtx-cu12 (==12.4.127) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nvjitlink-cu12 (==12.4.127) ; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "triton (==3.1.0) ; platform_system == 'Linux' and platform_machine == 'x86_64' and python_version < '3.13'",
    "sympy (==1.12.1) ; python_version == '3.8'",
    "setuptools ; python_version >= '3.12'",
    "sympy (==1.13.1) ; python_version >= '3.9'",
    NULL,
};

static const char *const meta_torch_2_9_1[] = {
    "filelock",
    "typing-extensions>=4.10.0",
    "setuptools; python_version >= '3.12'",
    "sympy>=1.13.3",
    "networkx>=2.5.1",
    "jinja2",
    "fsspec>=0.8.5",
    "nvidia-cuda-nvrtc-cu12==12.8.93; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cuda-runtime-cu12==12.8.90; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cuda-cupti-cu12==12.8.90; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cudnn-cu12==9.10.2.21; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cublas-cu12==12.8.4.1; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cufft-cu12==11.3.3.83; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-curand-cu12==10.3.9.90; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cusolver-cu12==11.7.3.90; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cusparse-cu12==12.5.8.93; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cusparselt-cu12==0.7.1; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nccl-cu12==2.27.5; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nvshmem-cu12==3.3.20; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nvtx-cu12==12.8.90; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-nvjitlink-cu12==12.8.93; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "nvidia-cufile-cu12==1.13.1.3; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "triton==3.5.1; platform_system == 'Linux' and platform_machine == 'x86_64'",
    NULL,
};

static const char *const meta_torch_2_11_0[] = {
    "filelock",
    "typing-extensions>=4.10.0",
    "setuptools<82",
    "sympy>=1.13.3",
    "networkx>=2.5.1",
    "jinja2",
    "fsspec>=0.8.5",
    "cuda-toolkit[cublas,cudart,cufft,cufile,cupti,curand,cusolver,cusparse,nvjitlink,nvrtc,nvtx]==13.0.2; "
    "platform_system == 'Linux'",
    "cuda-bindings<14,>=13.0.3; platform_system == 'Linux'",
    "nvidia-cudnn-cu13==9.19.0.56; platform_system == 'Linux'",
    "nvidia-cusparselt-cu13==0.8.0; platform_system == 'Linux'",
    "nvidia-nccl-cu13==2.28.9; platform_system == 'Linux'",
    "nvidia-nvshmem-cu13==3.4.5; platform_system == 'Linux'",
    "triton==3.6.0; platform_system == 'Linux'",
    NULL,
};

static const char *const meta_torchvision_0_20_1[] = {
    "numpy",
    "torch (==2.5.1)",
    "pillow (!=8.3.*,>=5.3.0)",
    NULL,
};

static const char *const meta_torchaudio_2_5_1[] = {
    "torch (==2.5.1)",
    NULL,
};

static const char *const meta_jax_0_5_3[] = {
    "jaxlib<=0.5.3,>=0.5.3",
    "ml_dtypes>=0.4.0",
    "numpy>=1.25",
    "numpy>=1.26.0; python_version >= '3.12'",
    "opt_einsum",
    "scipy>=1.11.1",
    NULL,
};

static const char *const meta_jax_cuda12_plugin_0_5_3[] = {
    "jax-cuda12-pjrt==0.5.3",
    "nvidia-cublas-cu12>=12.1.3.1; extra == 'with-cuda'",
    "nvidia-cuda-cupti-cu12>=12.1.105; extra == 'with-cuda'",
    "nvidia-cuda-nvcc-cu12>=12.6.85; extra == 'with-cuda'",
    "nvidia-cuda-runtime-cu12>=12.1.105; extra == 'with-cuda'",
    "nvidia-cudnn-cu12<10.0,>=9.1; extra == 'with-cuda'",
    "nvidia-cufft-cu12>=11.0.2.54; extra == 'with-cuda'",
    "nvidia-cusolver-cu12>=11.4.5.107; extra == 'with-cuda'",
    "nvidia-cusparse-cu12>=12.1.0.106; extra == 'with-cuda'",
    "nvidia-nccl-cu12>=2.18.1; extra == 'with-cuda'",
    "nvidia-nvjitlink-cu12>=12.1.105; extra == 'with-cuda'",
    NULL,
};

static const char *const meta_cuda_toolkit_13_0_2[] = {
    "nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cublas'",
    "nvidia-cuda-runtime==13.0.96.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cudart'",
    "nvidia-cufft==12.0.0.61.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cufft'",
    "nvidia-cufile==1.15.1.6.*; (sys_platform == 'linux') and extra == 'cufile'",
    "nvidia-cuda-cupti==13.0.85.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cupti'",
    "nvidia-curand==10.4.0.35.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'curand'",
    "nvidia-cusolver==12.0.4.66.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cusolver'",
    "nvidia-cusparse==12.6.3.3.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cusparse'",
    "nvidia-nvjitlink==13.0.88.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'nvjitlink'",
    "nvidia-cuda-nvrtc==13.0.88.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'nvrtc'",
    "nvidia-nvtx==13.0.85.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'nvtx'",
    NULL,
};

static const char *const meta_tensorflow_text_2_18_1[] = {
    "tensorflow<2.19,>=2.18.0",
    NULL,
};

static const char *const meta_tf_keras_2_21_0[] = {
    "tensorflow<2.22,>=2.21",
    NULL,
};

#endif
