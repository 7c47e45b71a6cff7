"""Tests of the room `documents`; a package so that other tests can take `make_hostile_folder`."""
