#!/usr/bin/env python3
"""tools/mine.py against an index on this machine: rows, a second run, rivals, and answers that must be refused."""
import contextlib
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.environ.get("TENON_SOURCE") or os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(SRC, "tools")]
import mine  # noqa: E402
import wheelindex  # noqa: E402
from index import Index, wheel  # noqa: E402
from minerequires import environment, holds  # noqa: E402
from tablefile import TableFile, agrees, version_key  # noqa: E402
from wheelfacts import assignments, capabilities, pythons, satisfies  # noqa: E402

CP = "%s-%s-cp312-cp312-%s.whl"
LINUX = "manylinux_2_27_x86_64"
BUILD_INFO = """import collections
build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', ['sm_70', 'sm_80', 'compute_120']),
    ('cuda_version', '13.1.0'), ('cudnn_version', '9'), ('is_cuda_build', True), ('is_rocm_build', False)])
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        shutil.copytree(os.path.join(SRC, "data", "tables"), os.path.join(self.root, "data", "tables"))
        self.index = Index()

    def tearDown(self):
        self.index.close()
        shutil.rmtree(self.root)

    def mine(self, *args, today="2026-12-24", want=0):
        """The command itself, in this process: starting Python for each takes longer than all else."""
        out = io.StringIO()
        with unittest.mock.patch.dict(os.environ, PIP_INDEX_URL=self.index.url, no_proxy="127.0.0.1", NO_PROXY="127.0.0.1"), \
                unittest.mock.patch.object(sys, "argv", ["mine.py", "--source", self.root, "--today", today, *args]), \
                unittest.mock.patch.object(wheelindex.time, "sleep", lambda seconds: None), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = mine.main()
            except SystemExit as e:
                out.write(str(e.code))
                status = 1
        self.assertEqual(status, want, out.getvalue())
        return out.getvalue()

    def rows(self, table, **want):
        t = TableFile(os.path.join(self.root, "data", "tables"), table)
        return [r for r in t.rows if all(r[k] == v for k, v in want.items())]

    def forget(self, table, **want):
        t = TableFile(os.path.join(self.root, "data", "tables"), table)
        t.rows = [r for r in t.rows if any(r[k] != v for k, v in want.items())]
        t.save()

    def all_tables(self):
        folder = os.path.join(self.root, "data", "tables")
        out = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                out[name] = f.read()
        return out

    def once(self, *args):
        """Writes; then a second run, on another day, changes nothing."""
        before = self.all_tables()
        self.mine(*args, "--write")
        after = self.all_tables()
        out = self.mine(*args, "--write", today="2027-01-01")
        self.assertIn("0 rows new or changed", out)
        self.assertEqual(after, self.all_tables())
        lost = [line for n in before for line in before[n].split("\n") if line not in after[n]]
        return lost, after

    def tensorflow(self, version="2.99.0", info=BUILD_INFO, name=None, data=None, **more):
        members = {"tensorflow/python/platform/build_info.py": info, "tensorflow/lib.so": os.urandom((1 << 20) + 9)}
        data = data or wheel("tensorflow", version, members if info else {"a": "b"}, requires=(
            "numpy>=1.26", "nvidia-cublas-cu13<14,>=13.1; extra == 'and-cuda'", 'nvidia-nccl-cu13==2.30.7 ; extra == "and-cuda"'))
        self.index.add("tensorflow", name or CP % ("tensorflow", version, LINUX), data, requires_python=">=3.10", **more)
        return data


class Requires(Case):
    """Table requires: markers worked out, runs of releases."""
    CELLS = ("version_from", "version_to", "needs", "extra", "spec", "platforms", "python_min", "python_max")

    def add(self, version, name, *requires, project="onnxruntime", **more):
        self.index.add(project, name % version, wheel(project, version, {"a": "b"}, requires=requires), **more)

    def got(self, package, version="0"):
        return [tuple(r[c] for c in self.CELLS) for r in self.rows("requires", package=package) if version_key(r["version_from"]) >= version_key(version)]

    def test_each_python_says_its_own(self):
        linux, windows = "onnxruntime-%%s-cp3%d-cp3%d-manylinux_2_27_x86_64.whl", "onnxruntime-%%s-cp3%d-cp3%d-win_amd64.whl"
        for n, numpy in ((10, "numpy (>=1.21.6)"), (11, "numpy (>=1.24.2)"), (12, "numpy (>=1.26)")):
            self.add("99.0", linux % (n, n), numpy, "protobuf", "sympy")
        self.add("99.0", windows % (11, 11), "numpy (>=1.24.2)", "protobuf\r")
        self.once("onnxruntime==99.0")
        self.assertEqual(self.got("onnxruntime", "99"), [
            ("99.0", "99.0", "numpy", "", ">=1.21.6", "linux/x86_64", "", "3.10"),
            ("99.0", "99.0", "numpy", "", ">=1.24.2", "linux/x86_64", "3.11", "3.11"),
            ("99.0", "99.0", "numpy", "", ">=1.24.2", "windows/x86_64", "", ""),
            ("99.0", "99.0", "numpy", "", ">=1.26", "linux/x86_64", "3.12", ""),
            ("99.0", "99.0", "protobuf", "", "", "", "", "")])

    def test_markers_and_extras(self):
        for n in (10, 13):
            self.add("99.0", "torch-%%s-cp3%d-cp3%d-manylinux_2_28_x86_64.whl" % (n, n), "typing-extensions>=4.10,!=4.11,<5",
                     'triton==3.9; platform_system == "Linux" and platform_machine == "x86_64" and python_version < "3.13"',
                     'nvidia-cudnn-cu13==9.9 ; sys_platform != "win32" or (os_name == "nt" and python_full_version >= "3.11.0")',
                     "numpy; extra == 'all'", project="torch")
            self.add("99.0", "torch-%%s-cp3%d-cp3%d-win_amd64.whl" % (n, n), "typing-extensions>=4.10,!=4.11,<5",
                     'nvidia-cudnn-cu13==9.9 ; sys_platform != "win32" or (os_name == "nt" and python_full_version >= "3.11.0")', project="torch")
        self.mine("torch==99.0", "--requires", "--write")
        self.assertEqual(self.got("torch", "99"), [
            ("99.0", "99.0", "nvidia-cudnn-cu13", "", "==9.9", "linux/x86_64", "", ""),
            ("99.0", "99.0", "nvidia-cudnn-cu13", "", "==9.9", "windows/x86_64", "3.13", ""),
            ("99.0", "99.0", "triton", "", "==3.9", "linux/x86_64", "", "3.10"),
            ("99.0", "99.0", "typing-extensions", "", ">=4.10,!=4.11,<5", "", "", "")])

    def test_a_run_grows_and_joins(self):
        for version, numpy in (("99.0", "numpy>=1"), ("99.1", "numpy>=1"), ("99.2", "numpy>=1"), ("99.3", "numpy>=2"), ("99.4", "numpy>=1")):
            self.add(version, "onnxruntime-%s-cp311-cp311-manylinux_2_27_x86_64.whl", numpy)
        for version in ("99.0", "99.4", "99.2", "99.3", "99.1"):
            self.once("onnxruntime==" + version)
        self.assertEqual([g[:2] + g[4:5] for g in self.got("onnxruntime", "99")], [
            ("99.4", "99.4", ">=1"), ("99.3", "99.3", ">=2"), ("99.0", "99.2", ">=1")])
        self.assertEqual(subprocess.run([sys.executable, os.path.join(SRC, "tools", "lint_tables.py"), "--source", self.root, "--today", "2027-01-01"]).returncode, 0)

    def test_a_wheel_that_unsays_its_row_is_a_conflict(self):
        self.add("99.0", "onnxruntime-%s-cp311-cp311-manylinux_2_27_x86_64.whl", "numpy>=1")
        self.once("onnxruntime==99.0")
        self.index.projects["onnxruntime"].clear()
        self.add("99.0", "onnxruntime-%s-cp311-cp311-manylinux_2_27_x86_64.whl", "numpy>=2")
        self.assertIn("does not ask for numpy>=1", self.mine("onnxruntime==99.0", "--write", want=1))

    def test_strange_markers_are_refused(self):
        for marker in ("import os", "python_version", "python_version <", "os_name == 'posix' and", "(os_name == 'nt'", "os_name == 'nt')",
                       "os_name == 'posix' os_name == 'posix'", "nonsense == '1'", "__import__('os') == 'x'", "python_version ~ '3'", ")", ""):
            with self.subTest(marker), self.assertRaises(ValueError):
                holds(marker, environment("linux/x86_64", (3, 11), ""))
        deep = "(" * 5000 + "os_name == 'posix'" + ")" * 5000
        with self.assertRaises(ValueError):
            holds(deep, environment("linux/x86_64", (3, 11), ""))
        for marker, want in (("python_version < '3.9' or python_version >= '3.10' and os_name == 'posix'", True), ("python_version >= '3.9.1'", True),
                             ("'linux' in sys_platform", True), ("python_version not in '3.11 3.12'", False), ("python_version == '3.*'", True),
                             ("extra == ''", True), ('implementation_name != "cpython"', False)):
            self.assertEqual(holds(marker, environment("linux/x86_64", (3, 11), "")), want, marker)


class Rows(Case):
    def test_a_new_release_enters_by_one_command(self):
        self.tensorflow()
        lost, after = self.once("tensorflow==2.99.0")
        self.assertEqual(lost, [])
        row, = self.rows("wheels", package="tensorflow", version="2.99.0")
        self.assertEqual([row[c] for c in ("platform", "arch", "python_min", "python_max", "glibc_min", "pip_min", "yanked", "date")],
                         ["linux", "x86_64", "3.12", "3.12", "2.27", "20.3", "no", "2026-11-20"])
        row, = self.rows("tensorflow_builds", version="2.99.0")
        self.assertEqual([row[c] for c in ("platform", "gpu", "package", "cuda", "cudnn", "python_min", "source")],
                         ["linux", "yes", "tensorflow", "13.1", "9", "3.12", "wheel tensorflow 2.99.0, read 2026-12-24"])
        self.assertEqual([(r["package"], r["constraint"], r["kind"]) for r in self.rows("tensorflow_pins", tf_version="2.99.0")],
                         [("nvidia-cublas-cu13", ">=13.1,<14", "range"), ("nvidia-nccl-cu13", "2.30.7", "exact")])
        row, = self.rows("tf_wheel_arch", version_from="2.99.0")
        self.assertEqual((row["sass"], row["ptx"], row["min_cc"]), ("7.0 8.0 12.0", "12.0", "7.0"))
        self.assertEqual(subprocess.run([sys.executable, os.path.join(SRC, "tools", "lint_tables.py"), "--source", self.root, "--today", "2027-01-01"]).returncode, 0)
        for text in after.values():
            self.assertNotIn("127.0.0.1", text)

    def test_without_write_nothing_is_written(self):
        self.tensorflow()
        before = self.all_tables()
        self.assertIn("not written", self.mine("tensorflow==2.99.0"))
        self.assertEqual(before, self.all_tables())

    def test_a_patch_release_that_says_the_same_extends_the_range(self):
        self.tensorflow()
        self.tensorflow("2.99.1")
        self.once("tensorflow==2.99.0")
        self.once("tensorflow==2.99.1")
        row, = self.rows("tf_wheel_arch", version_from="2.99.0")
        self.assertEqual(row["version_to"], "2.99.1")
        self.assertEqual(self.rows("tensorflow_builds", version="2.99.1"), [])

    def test_torch(self):
        version_py = "from typing import Optional\n__version__ = '2.99.0+cu134'\ncuda: Optional[str] = '13.4'\nhip: Optional[str] = None\n"
        library = os.urandom(300000) + b"\0sm_80 sm_90 compute_120\0" + os.urandom(300000)
        data = wheel("torch", "2.99.0", {"torch/version.py": version_py, "torch/lib/libtorch_python.so": library},
                     requires=('nvidia-cudnn-cu13==9.28.1.4; platform_system == "Linux"', "cuda-toolkit[cublas]==13.4.0"))
        self.index.add("torch", CP % ("torch", "2.99.0", "manylinux_2_28_x86_64"), data)
        self.once("torch==2.99.0", "--code")
        row, = self.rows("pytorch_builds", torch_version="2.99.0")
        self.assertEqual([row[c] for c in ("variant", "cuda", "cudnn", "pypi_default", "sass_linux", "ptx_linux", "min_driver_linux")],
                         ["cu134", "13.4", "9.28.1.4", "yes", "8.0 9.0", "12.0", "580"])

    def test_the_wheel_beats_the_document_which_stays_as_a_rival(self):
        t = TableFile(os.path.join(self.root, "data", "tables"), "pytorch_builds")
        old = next(r for r in t.rows if r["torch_version"] == "2.9.0" and r["variant"] == "cu128")
        old.update(rank="1", cudnn="9.1.0.1", source="a document of somebody", notes="why")
        t.rows = [r for r in t.rows if r is old or not t.same_key(r, old)]
        t.save()
        self.forget("requires", package="torch")
        data = wheel("torch", "2.9.0", {"torch/version.py": "__version__ = '2.9.0+cu128'\ncuda = '12.8'\n"}, requires=("nvidia-cudnn-cu12 (==9.10.2.21)",))
        self.index.add("torch", CP % ("torch", "2.9.0", "manylinux_2_28_x86_64"), data)
        self.once("torch==2.9.0")
        first, second = self.rows("pytorch_builds", torch_version="2.9.0", variant="cu128")
        self.assertEqual((first["rank"], first["cudnn"], second["rank"], second["cudnn"]), ("1", "9.10.2.21", "2", "9.1.0.1"))
        self.assertIn("documents say cudnn 9.1.0.1", first["notes"])
        self.assertIn("the wheel says cudnn 9.10.2.21", second["notes"])
        self.assertEqual(first["sass_linux"], second["sass_linux"])

    def test_two_readings_of_wheels_that_differ_are_a_conflict(self):
        self.tensorflow()
        self.once("tensorflow==2.99.0")
        self.index.projects["tensorflow"].clear()
        self.index.add("tensorflow", CP % ("tensorflow", "2.99.0", LINUX), wheel("tensorflow", "2.99.0", {
            "tensorflow/python/platform/build_info.py": BUILD_INFO, "x": os.urandom((1 << 20) + 9)}, requires=('nvidia-nccl-cu13==9.9; extra == "and-cuda"',)))
        self.assertIn("the row read in a wheel says", self.mine("tensorflow==2.99.0", "--write", want=1))

    def test_jax(self):
        self.index.add("jax", "jax-0.99.0-py3-none-any.whl", wheel("jax", "0.99.0", {}, requires=(
            "jaxlib<=0.99.0,>=0.98.0", "jaxlib<=0.99.0,>=0.99.0; extra == 'cuda13'", "jax-cuda13-plugin[with-cuda]<=0.99.0,>=0.99.0; extra == 'cuda13'",
            "jax-cuda14-plugin[with-cuda]<=0.99.0,>=0.99.0; extra == 'cuda14'")), requires_python=">=3.12")
        self.index.add("jax-cuda13-plugin", CP % ("jax_cuda13_plugin", "0.99.0", LINUX), wheel("jax_cuda13_plugin", "0.99.0", {}, requires=(
            'nvidia-cuda-runtime>=13.0.48; sys_platform == "linux" and extra == "with-cuda"', 'nvidia-cudnn-cu13<10.0,>=9.12; extra == "with-cuda"')))
        self.index.projects["jax-cuda14-plugin"] = []
        self.once("jax==0.99.0")
        row, = self.rows("jax_builds", jax_version="0.99.0")
        self.assertEqual([row[c] for c in ("cuda_extra", "cuda_min", "cudnn_min", "jaxlib_min", "jaxlib_version", "python_min", "driver_min_linux")],
                         ["cuda13", "13.0.48", "9.12,<10.0", "0.98.0", "0.99.0", "3.12", "580"])

    def test_onnxruntime(self):
        names = b"\0libcudart.so.14\0libcublas.so.14\0libcudnn.so.9\0libc.so.6\0"
        data = wheel("onnxruntime-gpu", "1.99.0", {"onnxruntime/capi/build_and_package_info.py": "package_name = 'x'\ncuda_version = '14.0'\n",
                                                   "onnxruntime/capi/libonnxruntime_providers_cuda.so": b"\x7fELF" + names + os.urandom(5000)})
        self.index.add("onnxruntime-gpu", CP % ("onnxruntime_gpu", "1.99.0", "manylinux_2_28_x86_64"), data)
        self.once("onnxruntime-gpu==1.99.0")
        row, = self.rows("onnxruntime_builds", version="1.99.0")
        self.assertEqual((row["cuda"], row["cudnn"], row["needs"]), ("14.0", "9", "libcublas.so.14 libcudart.so.14 libcudnn.so.9"))

    def test_host_compilers(self):
        header = ("#if __GNUC__ > 17\n\n#error -- unsupported GNU version! gcc versions later than 17\n#endif\n#if (__clang_major__ >= 24) || (__clang_major__ < 3)\n"
                  "#error -- unsupported clang version! less than 24\n#endif\n#if _MSC_VER < 1920 || _MSC_VER >= 1970\n\n#error -- unsupported Microsoft\n")
        for v, text in (("13.99.1", header.replace("17", "16")), ("13.99.5", header), ("13.98.1", "#define X\n")):
            self.index.add("nvidia-cuda-crt", "nvidia_cuda_crt-%s-py3-none-manylinux2014_x86_64.whl" % v,
                           wheel("nvidia_cuda_crt", v, {"nvidia/cu13/include/crt/host_config.h": text}))
        self.once("nvidia-cuda-crt>=13.99")  # the newest of a release speaks for it
        row, = self.rows("host_compilers", cuda_release="13.99")
        self.assertEqual((row["max_gcc"], row["max_clang"], row["msvc"]), ("17", "23", "_MSC_VER 1920-1969"))
        self.assertEqual(self.rows("wheels", package="nvidia-cuda-crt"), [])
        self.assertIn("no limits", self.mine("nvidia-cuda-crt==13.98.1", want=1))

    def test_libraries_of_a_toolkit(self):
        self.index.add("cuda-toolkit", "cuda_toolkit-13.99.0-py2.py3-none-any.whl", wheel("cuda_toolkit", "13.99.0", {}, requires=(
            "nvidia-cublas==13.99.1.*; (sys_platform == 'linux') and extra == 'cublas'", "nvidia-cuda-nvrtc==13.99.2; extra == 'nvrtc'")))
        for plat, names in (("manylinux2014_x86_64", ("lib/libcublas.so.14", "lib/libcublasLt.so.14", "lib/libnvblas.so.14")),
                            ("win_amd64", ("bin/x86_64/cublas64_14.dll", "bin/x86_64/cublasLt64_14.dll"))):
            self.index.add("nvidia-cublas", "nvidia_cublas-13.99.1.7-py3-none-%s.whl" % plat,
                           wheel("nvidia_cublas", "13.99.1.7", {"nvidia/cu13/" + n: "x" for n in names}))
        self.index.add("nvidia-cuda-nvrtc", "nvidia_cuda_nvrtc-13.99.2-py3-none-win_amd64.whl",
                       wheel("nvidia_cuda_nvrtc", "13.99.2", {"nvidia/cu13/bin/x86_64/nvrtc64_140_0.dll": "x", "nvidia/cu13/bin/x86_64/nvrtc-builtins64_139.dll": "x"}))
        self.once("cuda-toolkit==13.99.0")
        row, = self.rows("cuda_libs", cuda_release="13.99")
        self.assertEqual({c: v for c, v in row.items() if c.endswith(("_so", "_dll")) and v}, {
            "cublas_so": "libcublas.so.14", "cublaslt_so": "libcublasLt.so.14", "cublas_dll": "cublas64_14.dll", "cublaslt_dll": "cublasLt64_14.dll",
            "nvrtc_dll": "nvrtc64_140_0.dll"})

    def test_names(self):
        for name, more in (("keras-99.0-py3-none-any.whl", {"requires_python": ">=3.11,<3.14"}), ("keras-98.0.tar.gz", {"requires_python": ">=3.9"}),
                           ("keras-97.0-cp310-cp310-manylinux1_x86_64.whl", {"yanked": True, "date": "2026-01-02"}),
                           ("keras-97.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", {"yanked": True}),
                           ("keras-97.0-cp313-cp313t-manylinux_2_28_x86_64.whl", {}), ("keras-97.0rc1-cp313-cp313-win_amd64.whl", {}),
                           ("keras-97.0-cp311-cp311-macosx_11_0_arm64.whl", {}), ("keras_extra-97.0-py3-none-any.whl", {})):
            self.index.add("keras", name, **more)
        self.once("keras>=97", "--names")
        got = {r["version"]: r for r in self.rows("wheels", package="keras") if r["version"] >= "97"}
        self.assertEqual(sorted(got), ["97.0", "98.0", "99.0"])
        cells = ("platform", "python_min", "python_max", "glibc_min", "pip_min", "yanked", "date", "notes")
        self.assertEqual([got["99.0"][c] for c in cells], ["any", "3.11", "3.13", "", "", "no", "2026-11-20", ""])
        self.assertEqual([got["98.0"][c] for c in cells[:3]], ["source", "3.9", ""])
        self.assertEqual([got["97.0"][c] for c in cells], ["linux", "3.10", "3.11", "2.5", "8.1", "no", "2026-01-02", "glibc 2.17 for Python 3.11"])

    def test_html_index(self):
        self.tensorflow()
        self.index.html = True
        self.once("tensorflow==2.99.0")
        row, = self.rows("wheels", package="tensorflow", version="2.99.0")
        self.assertEqual((row["python_min"], row["glibc_min"], row["mb"], row["date"]), ("3.12", "2.27", "", "2026-12-24"))
        self.assertEqual(len(self.rows("tensorflow_pins", tf_version="2.99.0")), 2)

    def test_check(self):
        self.tensorflow()
        self.assertIn("tensorflow: the tables end at", self.mine("--check"))
        self.index.close()
        self.assertIn("skipped:", self.mine("--check"))
        self.index = Index()


class Bad(Case):
    def refused(self, text, **more):
        self.tensorflow(**more)
        out = self.mine("tensorflow==2.99.0", "--write", want=1)
        self.assertIn(text, out)
        self.assertEqual(self.rows("tensorflow_builds", version="2.99.0"), [])

    def test_answers(self):
        for mode, text in (("whole", "ignores ranges"), ("other", "another range"), ("short", "EOFError")):
            with self.subTest(mode):
                self.index.projects.clear()
                self.refused(text, mode=mode)

    def test_a_broken_server_is_asked_again(self):
        self.tensorflow(mode="flaky")
        self.once("tensorflow==2.99.0")
        self.assertEqual(len(self.rows("tensorflow_builds", version="2.99.0")), 1)

    def test_cut(self):
        self.refused("no end record", data=wheel("tensorflow", "2.99.0", {"a": os.urandom((1 << 20) + 9)})[:-100])

    def test_no_build_info(self):
        self.refused("no build_info.py", data=wheel("tensorflow", "2.99.0", {"a": os.urandom((1 << 20) + 9)}))

    def test_missing(self):
        self.tensorflow()
        self.assertIn("no such release", self.mine("tensorflow==2.98.7", want=1))
        self.assertIn("not on the index", self.mine("torch", want=1))
        self.assertIn("not tensorflow===", self.mine("tensorflow===1", want=1))

    def test_metadata_file_is_preferred(self):
        self.index.add("jax", "jax-0.99.0-py3-none-any.whl", b"never read", requires_python=">=3.12",
                       metadata=b"Name: jax\nVersion: 0.99.0\nRequires-Dist: jaxlib>=0.99.0\n\n")
        self.once("jax==0.99.0")
        self.assertEqual([r for _, r in self.index.asked if r], [])


class Memory(wheelindex.Remote):
    """The same reading over bytes."""

    def __init__(self, data):
        self.data, self.name, self.size, self.n, self.taken = data, "w.whl", len(data), 0, 0

    def tail(self, n=wheelindex.TAIL):
        return self.read(max(0, self.size - n), n)

    def read(self, first, n):
        self.n += 1
        self.taken += len(self.data[first:first + n])
        return self.data[first:first + n]


def open_bytes(data):
    plain = wheelindex.Remote
    wheelindex.Remote = lambda url, name: Memory(data)
    try:
        return wheelindex.Wheel("", "w.whl")
    finally:
        wheelindex.Remote = plain


class Zip(unittest.TestCase):
    def refuse(self, data, text):
        with self.assertRaises(wheelindex.Refused) as e:
            w = open_bytes(data)
            for m in w.find(".*"):
                w.read(m)
        self.assertIn(text, str(e.exception))

    def setUp(self):
        self.data = wheel("x", "1", {"x/a.py": "a = 1\n" * 100})
        self.end = self.data.rfind(b"PK\5\6")
        self.dir, = struct.unpack_from("<I", self.data, self.end + 16)

    def patched(self, at, form, *values):
        d = bytearray(self.data)
        struct.pack_into(form, d, at, *values)
        return bytes(d)

    def test_numbers_that_lie(self):
        self.refuse(self.data[:-30], "no end record")
        self.refuse(b"", "no end record")
        self.refuse(self.data + b"x", "behind the end record")
        self.refuse(self.patched(self.end + 16, "<I", self.dir - 1), "points past")
        self.refuse(self.patched(self.end + 12, "<I", 1 << 31), "a directory of")
        self.refuse(self.patched(self.end + 8, "<HH", 9, 9), "entries")
        self.refuse(self.patched(self.end + 16, "<I", 0xFFFFFFFF), "ZIP64")
        self.refuse(self.patched(self.end + 4, "<H", 1), "several parts")
        self.refuse(self.patched(self.dir + 24, "<I", 0xFFFFFF0), "more than")
        self.refuse(self.patched(self.dir + 24, "<I", 5), "not the size")
        self.refuse(self.patched(self.dir + 20, "<I", 1 << 30), "outside the archive")
        self.refuse(self.patched(self.dir + 16, "<I", 1), "checksum")
        self.refuse(self.patched(self.dir + 10, "<H", 12), "differ")
        self.refuse(self.patched(self.dir + 42, "<I", 3), "no member where")

    def test_names_that_lead_out(self):
        for name in ("../x", "/etc/passwd", "a/../../b", "a\\b", "C:x", "a\nb"):
            with self.subTest(name):
                self.refuse(wheel("x", "1", {name: "x"}), "hostile name")

    def test_bomb(self):
        self.refuse(wheel("x", "1", {"big": b"\0" * (20 << 20)}), "more than")

    def test_only_the_ends_of_a_large_directory(self):
        data = wheel("x", "1", {"x/build_info.py": "a = 1\n"}, filler=4000)
        w = open_bytes(data)
        self.assertEqual(len(w.find(r"[^/]+\.dist-info/METADATA")), 1)
        self.assertFalse(w.complete)
        self.assertLess(w.remote.taken, 200000)
        self.assertEqual([m.name for m in w.find(r"x/build_info\.py")], ["x/build_info.py"])
        self.assertTrue(w.complete)
        self.assertEqual(w.find("no such"), [])

    def test_damage_is_refused_not_believed(self):
        rng, whole = random.Random(4), open_bytes(self.data)
        right = {n: whole.read(m) for n, m in whole.members.items()}
        for _ in range(1000):
            d = bytearray(self.data)
            for _ in range(rng.randint(1, 4)):
                d[rng.randrange(len(d))] = rng.randrange(256)
            try:
                w = open_bytes(bytes(d[:rng.randint(len(d) // 2, len(d))] if rng.random() < 0.1 else d))
                for m in w.find(".*"):
                    if m.name in right:
                        self.assertEqual(w.read(m), right[m.name])
            except wheelindex.Refused:
                pass

    def test_a_bomb_of_directory_entries_ends(self):
        start = time.time()
        entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
        body = b"PK\3\4" + bytes(60) + entry * 60000
        self.refuse(body + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 60000, 60000, len(entry) * 60000, 64, 0), "w.whl: ")
        self.assertLess(time.time() - start, 10)


class Text(unittest.TestCase):
    def test_build_info_in_its_three_forms(self):
        self.assertEqual(assignments("is_cuda_build = True\ncuda_version_number = '10.1'\n")["cuda_version_number"], "10.1")
        self.assertEqual(assignments("build_info = {'cuda_version': '10.1', 'x': None}")["cuda_version"], "10.1")
        self.assertEqual(assignments(BUILD_INFO)["cuda_compute_capabilities"], ["sm_70", "sm_80", "compute_120"])
        self.assertEqual(assignments("import os\nos.system('false')\nx = open('y')\n"), {"x": None})
        with self.assertRaises(SyntaxError):
            assignments("x = = 1")

    def test_capabilities(self):
        self.assertEqual(capabilities(["sm_60", "compute_90", "sm_103f"])[1:], (["6.0", "9.0", "10.3f"], ["9.0"]))
        self.assertEqual(capabilities("3.5,7.0")[1:], (["3.5", "7.0"], ["3.5", "7.0"]))
        with self.assertRaises(ValueError):
            capabilities(["native"])

    def test_pythons(self):
        self.assertTrue(satisfies((3, 9), ">=3.9.2"))
        self.assertFalse(satisfies((3, 9), ">3.9.99, <4"))
        self.assertFalse(satisfies((3, 13), ">=3.9,<3.13"))
        self.assertTrue(satisfies((3, 12), "<=3.12.4"))
        self.assertFalse(satisfies((3, 0), ">=2.7,!=3.0.*"))
        self.assertTrue(satisfies((3, 8), "~=3.6") and not satisfies((4, 0), "~=3.6") and not satisfies((3, 5), "~=3.6"))
        self.assertTrue(satisfies((3, 7), "==3.*") and not satisfies((2, 7), "==3.*"))
        self.assertEqual(min(pythons("cp39", "abi3", None)), (3, 9))
        self.assertEqual(pythons("cp313", "cp313t", None), set())
        self.assertEqual(pythons("py2.py3", "none", ">=3.6,<3.8"), {(3, 6), (3, 7)})

    def test_order_and_agreement(self):
        order = ["2.0.dev1", "2.0a1", "2.0rc1", "2.0", "2.0.post1", "2.0.1", "2.10"]
        self.assertEqual(sorted(reversed(order), key=version_key), order)
        self.assertTrue(agrees("9.3", "9") and agrees("12.1", "12.1.0") and not agrees("12.1", "12.10") and not agrees("a b", "a"))


if __name__ == "__main__":
    unittest.main()
