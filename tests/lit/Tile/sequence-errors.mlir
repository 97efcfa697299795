// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the task contains isa.load, which belongs in a tile.load}}
      tile.store on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the task contains isa.sync; synchronise with the operations of dialect 'tile' instead}}
      tile.mark on 0 {
        isa.sync engine=pe on=dma_in
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the task must contain exactly one instruction}}
      tile.load on 0 reads(%x) writes(%a) {
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the task is on tile 2, but the program has 2 tiles}}
      tile.load on 2 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the operation on tile 0: load: source.dims[4].stride: is 3}}
      tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <4*3> destination=fp16 ocm[0] <4>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the operation on tile 0 writes bytes 16 to 48 (destination) of an OCM; none of the buffers that the task lists contains these bytes}}
      tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[16] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the operation on tile 0 reads bytes 0 to 32 (source) of DDR; none of the buffers that the task lists contains these bytes}}
      tile.load on 0 reads(%a) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the operation on tile 0 accesses no byte of a buffer that it lists: 'b'}}
      tile.load on 0 reads(%x) writes(%a, %b) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the transfer has the purpose 'fun'; expected halo, gather or rebalance}}
      tile.send on 0 for fun reads(%a) writes(%a) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 remote 1[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{signals tile 3, but the program has 2 tiles}}
      tile.load on 0 reads(%x) writes(%a) signals {3} {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{expected tiles 0..63; list each tile once, in ascending order}}
      tile.barrier {1, 0}
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation on tile 1 waits for a task of tile 0 that does not signal to this tile}}
      tile.wait %t on 1 pe
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation on tile 1 waits for a task of tile 0; use tile.wait instead}}
      tile.sync %t on 1 pe
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation makes engine dma_in of tile 0 wait for itself; use tile.wait instead}}
      tile.sync %t on 0 dma_in
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation has the engine 'gpu'; expected sequencer, pod, pe, dma_in or dma_out}}
      tile.sync %t on 0 gpu
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation has the engine 'sequencer'; expected pod, pe, dma_in or dma_out}}
      tile.relay 0 sequencer to 1 pe
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the operation has tile 7, but the program has 2 tiles}}
      tile.relay 7 pe to 1 pe
      tile.store on 0 reads(%a) writes(%x) {
        isa.store source=fp16 ocm[0] <16> destination=fp16 ddr[0] <16>
      }
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      %t = tile.load on 0 reads(%x) writes(%a) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16>
      }
      // expected-error @+1 {{the synchronisation must be followed by a task}}
      tile.sync %t on 0 pe
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    tile.sequence {
      // expected-error @+1 {{the operation is neither a task nor a synchronisation operation}}
      isa.sync engine=pe on=dma_in
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %a = tile.buffer "a" ocm[0x0] 32 bytes
  %b = tile.buffer "b" ocm[0x40] 32 bytes
  isa.stage "main" inference {
    // expected-error @+1 {{the sequence of tasks must be the only operation of its stage}}
    tile.sequence {
    }
    isa.tile 0 {
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 2 {
  // expected-error @+1 {{the buffer is in memory 'ram'; expected ocm or ddr}}
  %x = tile.buffer "x" ram[0x0] 32 bytes
}

// -----

isa.program "p" on "tiny" tiles 2 {
  // expected-error @+1 {{the buffer must have at least one byte}}
  %x = tile.buffer "x" ocm[0x0] 0 bytes
}

// -----

isa.program "p" on "tiny" tiles 2 {
  // expected-error @+1 {{the buffer must give its time steps as a first and a last one, in this order}}
  %x = tile.buffer "x" ocm[0x0] 32 bytes time_steps [3, 2]
}

// -----

// expected-error @+1 {{expects parent op 'isa.program'}}
%x = tile.buffer "x" ocm[0x0] 32 bytes
