"""How numba compiles a kernel here: to code that other kernels take in, and to a function of Python only if Python calls it.

numba brings whatever it compiles to the end: a kernel that only other kernels call is optimised, made machine code (with
all that it calls itself, each time anew) and given a wrapper for Python, and nobody ever calls that. Here a kernel stops,
for some types, as LLVM's intermediate code of its own lines; what it calls is linked to it and optimised once, when Python calls
the kernel with these types. Both stages are kept in the kernel's cache.
"""

# kernel constants: what is kept of a kernel has another form when this file is another

from __future__ import annotations

import importlib
import secrets
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from llvmlite import binding


def _of_numba(module: str) -> Any:
    """Return a module without types: those that numba's core states are not those of what it is."""
    return importlib.import_module(f"numba.core.{module}")


compiler, typing, signatures = map(_of_numba, ("compiler", "typing", "sigutils"))
JITCodeLibrary: Any = _of_numba("codegen").JITCodeLibrary
FunctionCompiler: Any = _of_numba("dispatcher")._FunctionCompiler
CPUDispatcher: Any = _of_numba("registry").CPUDispatcher
global_compiler_lock = _of_numba("compiler_lock").global_compiler_lock
lookup_environment = _of_numba("environment").lookup_environment

# A function's name in compiled code ends with a number, which numba counts in each process. Two processes gave one name to
# two functions of numba's own (the sorting inside of sort and of argsort), and whoever took in both ran the first for both:
# https://github.com/numba/numba/issues/10486. Numbers drawn by the system are others in every process, a forked one too.
_of_numba("bytecode").FunctionIdentity._unique_ids = iter(lambda: secrets.randbits(48), None)


class Intermediate(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, not made machine code, without that of what it calls.

    ``needs`` are the libraries of all that it calls, and that these call, whoever is called before who calls.
    """

    needs: tuple[Any, ...] = ()
    _whole: Any = None

    def finalize(self) -> None:
        """Note what is called instead of taking its code in, and finish the code."""
        found: dict[int, Any] = {}
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
            for one in (*getattr(library, "needs", ()), library):
                found[id(one)] = one
        self.needs = tuple(found.values())
        self._linking_libraries.clear()
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise a little: whoever takes the code in optimises all of it, and inlines only what is small by then."""
        passes = self._codegen._module_pass_manager(opt=1, loop_vectorize=False, slp_vectorize=False, cost="cheap")
        if isinstance(passes, tuple):  # since numba 0.61 with LLVM's builder of passes
            passes[0].run(self._final_module, passes[1])
        else:
            passes.run(self._final_module)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return all of the code, for a function that is no kernel and calls this one."""
        if self._whole is None:
            self._whole = code_alone(self).clone()
            take_in(self._whole, reversed(self.needs))
        return self._whole


def code_alone(library: Any) -> Any:
    """Return a library's code, to be taken into others: of a kernel without what it calls."""
    return JITCodeLibrary._get_module_for_linking(library)


def take_in(module: Any, libraries: Iterable[Any]) -> None:
    """Link the code of libraries into a module; who calls before who is called, for LLVM takes only what is asked for by then."""
    for one in libraries:
        module.link_in(code_alone(one), preserve=True)


class Called(NamedTuple):
    """What Python calls."""

    library: Any  # machine code
    fndesc: Any
    environment: Any
    others: tuple[Any, ...]  # environments of what it calls
    reload: tuple[Any, ...]  # functions to call before it runs in another process
    constants: tuple[Any, ...]  # what its environment holds: the wrapper's come after those of the first stage

    @property
    def lifted(self) -> tuple[()]:
        return ()

    @property
    def codegen(self) -> Any:
        return self.library.codegen

    def enter(self, context: Any) -> Any:
        """Return the function."""
        # a process has one environment of a name: the first stage may have brought it, without the wrapper's constants
        held = self.environment.consts
        held.extend(self.constants[len(held) :])
        function = context.get_executable(self.library, self.fndesc, self.environment)
        for one in self.others:
            self.codegen.set_env(one.env_name, one)
        return function


class FirstStage(FunctionCompiler):  # type: ignore[misc]
    """Compiles a kernel to intermediate code."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        context = self.targetdescr.target_context
        library = Intermediate(context.codegen(), self.py_func.__qualname__)
        found = compiler.compile_extra(
            self.targetdescr.typing_context, context, self.py_func, args=args, return_type=return_type, flags=flags,
            locals=self.locals, library=library, pipeline_class=self.pipeline_class,
        )  # fmt: skip
        library.finalize()
        found.reload_init.extend(getattr(library, "_reload_init", ()))
        found = found._replace(entry_point=object())  # a name by which a caller finds the code
        context.insert_user_function(found.entry_point, found.fndesc, [library])
        return found


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled in two stages."""

    def __init__(self, py_func: Any, locals: Any, targetoptions: Any) -> None:
        super().__init__(py_func, locals, targetoptions)
        self._compiler = FirstStage(py_func, self.targetdescr, targetoptions, locals, compiler.Compiler)
        self._called: dict[Any, Any] = {}
        self.before_compiling: Any = lambda kernel, types: None

    def add_overload(self, found: Any) -> None:
        self.overloads[tuple(found.signature.args)] = found  # where Python's calls do not look

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return what types a caller's arguments bring: it takes in the first stage."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        super().compile(tuple(args))
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", name, self.nopython_signatures)
        return template, signature, args, {}

    def compile(self, sig: Any) -> Any:
        """Return what Python calls with arguments of the types ``sig``."""
        args = tuple(signatures.normalize_signature(sig)[0])
        if args not in self._called:
            self.before_compiling(self, args)
        with global_compiler_lock:
            if args not in self._called:
                name = ("called", *args)
                found = self._cache.load_overload(name, self.targetctx)
                if found is None:
                    try:
                        super().compile(args)
                        found = self._second_stage(self.overloads[args])
                    except BaseException:
                        self._cache.end()
                        raise
                    self._cache.save_overload(name, found)
                function = found.enter(self.targetctx)
                self._insert([one._code for one in args], function, False)
                self._called[args] = function, found  # whose environments machine code reads while it is there
            return self._called[args][0]

    def _second_stage(self, first: Any) -> Called:
        library = self.targetctx.codegen().create_library(first.library.name)
        library.enable_object_caching()
        context = self.targetctx.subtarget(enable_nrt=True)  # counted memory, as the first stage has it
        context.create_cpython_wrapper(library, first.fndesc, first.environment, None, release_gil=True)
        take_in(library._final_module, (first.library, *reversed(first.library.needs)))
        library.finalize()
        found = (lookup_environment(one.name) for one in library._final_module.global_variables)
        others = tuple(one for one in found if one is not None and one.can_cache())
        known = tuple(first.reload_init), tuple(first.environment.consts)
        return Called(library, first.fndesc, first.environment, others, *known)


def reduced(found: Any) -> tuple[Any, ...]:
    """Return what :func:`rebuilt` needs of either stage, to be pickled."""
    if isinstance(found, Called):
        return (found.library.serialize_using_object_code(), *found[1:])
    found.fndesc.typemap = found.fndesc.calltypes = None
    libraries = *found.library.needs, found.library
    codes = [(one.name, zlib.compress(code_alone(one).as_bitcode(), 1)) for one in libraries]
    return codes, found.fndesc, found.environment, found.signature, tuple(found.reload_init)


_libraries: WeakValueDictionary[bytes, Any] = WeakValueDictionary()
"""Those of kernels that were read from caches, by their code: many kernels call the same."""


def _library(codegen: Any, name: str, code: bytes) -> Intermediate:
    """Return the library of a packed bitcode: the same that this process has of it."""
    found = _libraries.get(code)
    if found is None:
        found = _libraries[code] = Intermediate(codegen, name)
        found._final_module = binding.parse_bitcode(zlib.decompress(code))
        found._finalize_final_module()
    return found  # type: ignore[no-any-return]


def rebuilt(context: Any, known: Any) -> Any:
    """Return either stage as it was :func:`reduced`."""
    for again in known[4]:
        again()
    if isinstance(known[0], tuple):
        return Called(context.codegen().unserialize_library(known[0]), *known[1:])
    codes, fndesc, environment, signature, reload_init = known
    libraries = [_library(context.codegen(), *code) for code in codes]
    library = libraries[-1]
    library.needs = tuple(libraries[:-1])
    return compiler.compile_result(
        target_context=context, typing_context=context.typing_context, library=library, environment=environment,
        entry_point=object(), fndesc=fndesc, type_annotation="", signature=signature, objectmode=False, lifted=(),
        typing_error=None, call_helper=None, reload_init=list(reload_init), referenced_envs=(),
    )  # fmt: skip
