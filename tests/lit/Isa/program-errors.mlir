// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{machine: 'huge' is not a built-in machine; give the name of a built-in machine, or a machine description as JSON}}
isa.program "p" on "huge" tiles 1 {
}

// -----

// expected-error @+1 {{the program uses 5 tiles, but the machine has 4}}
isa.program "p" on "tiny" tiles 5 {
}

// -----

isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    isa.tile 0 {
      // expected-error @+1 {{is instruction 0 of tile 0: load: source.dims[4].stride: is 3}}
      isa.load source=fp16 ddr[0] <4*3> destination=fp16 ocm[0] <4>
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    // expected-error @+1 {{the instruction list is for tile 1, but the program uses 1 tiles}}
    isa.tile 1 {
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    isa.tile 0 {
      isa.halt
    }
    // expected-error @+1 {{the instruction list is for tile 0, which is already in this stage}}
    isa.tile 0 {
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  isa.stage "main" inference {
    isa.tile 0 {
      // expected-error @+1 {{block with no terminator}}
      isa.sync engine=pe on=dma_in
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{the stage has the phase 'soon'; expected initial, inference or finishing}}
  isa.stage "main" soon {
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{this is a host stage, so it must contain nothing besides isa.host}}
  isa.stage "main" inference {
    isa.host "TopK" {inputs = ["x"]}
    isa.tile 0 {
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{the constant must have elements of type i8}}
  isa.constant ddr[0x1000] dense<[1, 2]> : tensor<2xi16>
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{the constant has no data: the text lacks resource 'constants'}}
  isa.constant ddr[0x1000] dense_resource<constants> : tensor<2xi8>
}

// -----

// expected-error @+1 {{expects parent op 'isa.program'}}
isa.layer 0 "conv" {}
