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
