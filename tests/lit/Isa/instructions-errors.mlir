// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{load has no operand 'sources'; did you mean 'source'?}}
isa.load sources=i8 ddr[0] <8>

// -----

// expected-error @+1 {{'isa.laod' is unknown}}
isa.laod source=i8 ddr[0] <8>

// -----

// expected-error @+1 {{the operand 'source' is given twice}}
isa.load source=i8 ddr[0] <8> source=i8 ddr[0] <8>

// -----

// expected-error @+1 {{element type cannot be 'i7'}}
isa.load source=i7 ddr[0] <8>

// -----

// expected-error @+1 {{memory cannot be 'ram'}}
isa.load source=i8 ram[0] <8>

// -----

// expected-error @+1 {{base is out of range; expected 0..1099511627775}}
isa.load source=i8 ddr[0x10000000000] <8>

// -----

// expected-error @+1 {{address is out of range}}
isa.load source=i8 ddr[-1] <8>

// -----

// expected-error @+1 {{a stream can have at most five dimensions}}
isa.load source=i8 ddr[0] <1, 1, 1, 1, 1, 8>

// -----

// expected-error @+1 {{a dimension is out of range}}
isa.load source=i8 ddr[0] <4294967296>

// -----

// expected-error @+1 {{pad_top is out of range; expected 0..65535}}
isa.conv window={pad_top=65536}

// -----

// expected-error @+1 {{value is out of range; expected 1..4294967295}}
isa.wait value=0

// -----

// expected-error @+1 {{expected floating point literal}}
isa.activate finish={alpha=one}

// -----

// expected-error @+1 {{invalid range of tiles: expected 0..63; write the lower number of the range first}}
isa.multicast tiles={3-1}

// -----

// expected-error @+1 {{invalid range of tiles}}
isa.multicast tiles={64}

// -----

// expected-error @+1 {{the operation states a field that the instruction 'load' does not have}}
"isa.load"() <{sources.base = 3 : i64}> : () -> ()

// -----

// expected-error @+1 {{clip: expected 0..1}}
"isa.load"() <{clip = 2 : i64}> : () -> ()
