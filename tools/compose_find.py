"""Composed machines of tests/machines on which a library lies where its Python does not look (stories 14)."""
import compose_parts as parts
from compose import CUDA11_DLLS, add_path, machine, tensorflow, toolkit, windows
from compose_machines import RTX3060, STORY, cudnn_set

PACKAGE = "PythonSoftwareFoundation.Python.3.10_qbz5n2kfra8p0"


def store_python(m):
    """Python 3.10 of the Microsoft Store: an empty stub on PATH, packages below the package's data."""
    local = m.home + "\\AppData\\Local"
    stubs = local + "\\Microsoft\\WindowsApps"
    m.files[stubs + "\\python.exe"] = {"type": "o", "size": 0}
    m.files[stubs + "\\python3.exe"] = {"type": "o", "size": 0}
    add_path(m, stubs)
    m.site = f"{local}\\Packages\\{PACKAGE}\\LocalCache\\local-packages\\Python310\\site-packages"


def python_org(m):
    """Python 3.10 as the installer of python.org puts it for one user."""
    prefix = m.home + "\\AppData\\Local\\Programs\\Python\\Python310"
    m.files[prefix + "\\python.exe"] = {"size": 98992}
    key = "HKCU\\SOFTWARE\\Python"
    m.doc["reg"][key] = {"list": {"d": ["PythonCore"]}}
    m.doc["reg"][key + "\\PythonCore"] = {"list": {"d": ["3.10"]}}
    m.doc["reg"][key + "\\PythonCore\\3.10\\InstallPath"] = {"values": {"ExecutablePath": prefix + "\\python.exe", "@": prefix + "\\"}}
    add_path(m, prefix + "\\Scripts", prefix)
    m.site = prefix + "\\Lib\\site-packages"


def cuda112_on_path(origin, python):
    m = windows(origin, 22621, "22H2", RTX3060, "528.49")
    python(m)
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-win_amd64", numpy="1.23.5")
    cudnn_set(m, toolkit(m, "11.2", CUDA11_DLLS), (8, 1, 1, 33), {})
    old = "D:\\backup\\CUDA\\v11.0\\bin"
    m.put(old + "\\cudart64_110.dll", parts.made_pe((6, 14, 11, 11000), "cudart of CUDA 11.0"))
    return m.done()


@machine(STORY + "CUDA 11.2 and cuDNN 8.1 on PATH, TensorFlow 2.10.0 in the Python of the Microsoft Store, which does not search PATH for DLLs")
def store_python_tf210(origin):
    return cuda112_on_path(origin, store_python)


@machine(STORY + "the same with the Python of python.org: nothing is wrong")
def python_org_tf210(origin):
    return cuda112_on_path(origin, python_org)
