// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{machine: 'huge' is no built-in machine; say one of their names, or a description as JSON}}
isa.program "p" on "huge" tiles 1 {
}

// -----

// expected-error @+1 {{uses 5 tiles, and the machine has 4}}
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
    // expected-error @+1 {{is tile 1 of a program that uses 1}}
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
    // expected-error @+1 {{is tile 0 a second time in its stage}}
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
  // expected-error @+1 {{is of phase 'soon'; expected initial, inference or finishing}}
  isa.stage "main" soon {
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{is work of the host, and has something else besides}}
  isa.stage "main" inference {
    isa.host "TopK" {inputs = ["x"]}
    isa.tile 0 {
      isa.halt
    }
  }
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{holds bytes, so elements of type i8}}
  isa.constant ddr[0x1000] dense<[1, 2]> : tensor<2xi16>
}

// -----

isa.program "p" on "tiny" tiles 1 {
  // expected-error @+1 {{has no data: the text lacks resource 'constants'}}
  isa.constant ddr[0x1000] dense_resource<constants> : tensor<2xi8>
}

// -----

// expected-error @+1 {{expects parent op 'isa.program'}}
isa.layer 0 "conv" {}
