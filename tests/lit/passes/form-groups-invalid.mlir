// RUN: smp-opt %s --smp-form-groups --split-input-file --verify-diagnostics

smp.entry @composite(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // expected-error @+2 {{'smp.gelu' op is computed by no kernel}}
  // expected-note @+1 {{run --smp-decompose first}}
  %y = smp.gelu %x : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// -----

smp.entry @request(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // expected-error @+2 {{'smp.accumulate' op is computed by no kernel}}
  // expected-note @+1 {{run the passes of training first}}
  %y = smp.accumulate %x : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// -----

smp.entry @foreign(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<2x2xf32> {smp.name = "y"}) {
  // expected-error @+2 {{'builtin.unrealized_conversion_cast' op is computed by no kernel}}
  // expected-note @+1 {{it is no op of the smp dialect}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<2x2xf32>
  %y = smp.neg %0 : tensor<2x2xf32>
  smp.return %y : tensor<2x2xf32>
}
