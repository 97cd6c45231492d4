"""The ground of the package: what stands between NumPy and the compiled engine.

Private to rarebit, shared by its packages; no name here is imported by users.

============ ==================================================== ================================
module       what it holds                                        who uses it
============ ==================================================== ================================
`arrays`     checked matrices as rows of the engine, gamma, costs svm, classifiers, active
`sparse`     checks of CSR matrices before native code reads them svm, active, `arrays`
`products`   which matrix products the engine calls               the package, on RAREBIT_PRODUCTS
`progress`   the line of a long fit with ``verbose``              svm, classifiers, active
`reference`  the solvers in NumPy, meant to be read               tests, as the oracle
============ ==================================================== ================================

The compiled engine itself is `rarebit._core`; ``core/`` has its sources and their map.
"""
