"""Other packages' names and signatures, computed by pfh.

``from pfh.compat import hashlib`` in place of ``import hashlib``; likewise
``blake3``, ``tlsh`` (py-tlsh), ``ppdeep`` and ``ssdeep`` (python-ssdeep).
"""
