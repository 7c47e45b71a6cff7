"""How many threads a computation gets."""

import threading

import torch

from fonte.models.hardware import use_one_thread


def test_one_thread_in_one_thread_alone():
    before, found = torch.get_num_threads(), {}
    torch.set_num_threads(3)

    def alone():
        use_one_thread()
        torch.ones(4) @ torch.ones(4)
        found["alone"] = torch.get_num_threads()

    def beside():
        found["beside"] = torch.get_num_threads()

    try:
        for work in (alone, beside):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert found == {"alone": 1, "beside": 3}
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
