// An op without a placement is an error that says what to run.
// RUN: smp-opt %s --smp-insert-transfers --verify-diagnostics

smp.entry @unplaced(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+2 {{'smp.abs' op has no placement}}
  // expected-note @+1 {{run --smp-partition first}}
  %0 = smp.abs %x : tensor<4xf32>
  smp.return
}
