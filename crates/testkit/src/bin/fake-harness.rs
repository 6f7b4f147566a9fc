//! Claude or codex without a model. See `paseo_testkit::personality`.

fn main() {
    std::process::exit(paseo_testkit::personality::run());
}
