//! Attacks on what may be posted to.

use proptest::prelude::*;

use super::*;

fn allowed() -> Allowed {
    let hosts = ["10.0.0.5", "agents.internal", "[fd12::1]"].into_iter().map(str::to_owned).collect();
    Allowed { hosts, own_port: 6767 }
}

/// How an address with this host, or a name that resolves to these, is judged.
fn judged(url: &str, resolved: &[&str]) -> Result<(), Refused> {
    let target = Target::parse(url)?;
    let resolved = resolved.iter().map(|address| address.parse().unwrap()).collect();
    target.judge(&target.written().unwrap_or(resolved), &allowed())
}

#[test]
fn what_is_on_the_web_is_posted_to() {
    for url in ["https://8.8.8.8", "http://8.8.8.8:8080/in?x=1", "https://[2606:4700::1111]/in"] {
        assert_eq!(judged(url, &[]), Ok(()), "{url}");
    }
    assert_eq!(judged("https://Agents.Example/in", &["93.184.216.34", "2606:2800::1"]), Ok(()));
    let target = Target::parse("https://Agents.Example/in").unwrap();
    assert_eq!((target.host, target.port), (Host::Name("agents.example".to_owned()), 443));
    assert_eq!(Target::parse("http://a.example?x").unwrap().port, 80);
}

#[test]
fn this_machine_is_only_meant_when_it_is_written() {
    for url in ["http://localhost:9/in", "http://LOCALHOST:9", "http://127.0.0.1:9", "http://[::1]:9/x"] {
        assert_eq!(judged(url, &[]), Ok(()), "{url}");
    }
    for url in ["http://127.0.0.2:9", "http://127.255.255.254"] {
        assert!(matches!(judged(url, &[]), Err(Refused::Loopback { .. })), "{url}");
    }
    // A name that resolves to it is an attack.
    for address in ["127.0.0.1", "::1"] {
        let refused = judged("http://rebound.example", &["93.184.216.34", address]);
        assert!(matches!(refused, Err(Refused::Loopback { .. })), "{address}");
        assert!(matches!(judged("http://agents.internal", &[address]), Err(Refused::Loopback { .. })));
    }
    for url in ["http://localhost:6767/api", "http://127.0.0.1:6767", "http://[::1]:6767"] {
        assert_eq!(judged(url, &[]), Err(Refused::Own { port: 6767 }), "{url}");
    }
}

#[test]
fn private_networks_are_for_those_who_list_them() {
    for url in ["http://10.0.0.5/in", "http://[fd12::1]:8080", "http://[FD12:0::1]:8080"] {
        assert_eq!(judged(url, &[]), Ok(()), "{url}");
    }
    assert_eq!(judged("http://AGENTS.internal", &["192.168.1.9", "fd12::9"]), Ok(()));
    for url in [
        "http://10.0.0.6",
        "http://172.16.0.1",
        "http://192.168.1.1",
        "http://100.64.0.1",
        "http://[fd12::2]",
    ] {
        let refused = judged(url, &[]).unwrap_err();
        assert!(matches!(refused, Refused::Private { .. }), "{url}: {refused}");
        assert!(refused.to_string().contains("[external] allow = [\""), "{refused}");
    }
    assert!(matches!(judged("http://other.internal", &["10.0.0.5"]), Err(Refused::Private { .. })));
    assert_eq!(listed("FD12::1"), Some("[fd12::1]".to_owned()));
    assert_eq!(listed("[fd12:0::1]"), Some("[fd12::1]".to_owned()));
    assert_eq!(listed("Agents.Internal"), Some("agents.internal".to_owned()));
    for nonsense in ["", "http://a", "a/b", "*.internal", "10.0.0.0/8", "a.", "10.1"] {
        assert_eq!(listed(nonsense), None, "{nonsense}");
    }
}

#[test]
fn some_addresses_are_nobodys() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.0.1",
        "168.63.129.16",
        "100.100.100.200",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "198.51.100.7",
        "203.0.113.9",
        "192.88.99.1",
        "::",
        "::2",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:7f00:1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "3fff::1",
        "fd00:ec2::254",
        "100::1",
        "4000::1",
        "2001:10::1",
    ] {
        let written = address.parse::<IpAddr>().unwrap();
        for (host, resolved) in
            [(Host::Address(written).to_string(), vec![]), ("a.example".into(), vec![address])]
        {
            let refused = judged(&format!("http://{host}/"), &resolved).unwrap_err();
            assert!(matches!(refused, Refused::Forbidden { .. }), "{host} {address}: {refused}");
        }
    }
    // Listing it changes nothing.
    let all = Allowed { hosts: ["169.254.169.254".to_owned()].into(), own_port: 0 };
    let target = Target::parse("http://169.254.169.254/latest").unwrap();
    assert!(target.judge(&target.written().unwrap(), &all).is_err());
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    for url in [
        "",
        "a.example",
        "//a.example",
        "ftp://a.example",
        "file:///etc/passwd",
        "HTTP://a.example",
        "http:/a.example",
        "http://",
        "http:///in",
        "http://?x",
        "http://user@a.example",
        "http://user:word@a.example",
        "http://a.example@127.0.0.1",
        "http://127.0.0.1\\@a.example",
        "http://a.example#@127.0.0.1",
        "http://a.example.",
        "http://localhost.",
        "http://127.0.0.1.",
        "http://a..example",
        "http://.example",
        "http://a b",
        "http://a\tb",
        "http://a\n.example",
        "http://a%2eexample",
        "http://%6c%6f",
        "http://*.example",
        "http://a.example:",
        "http://a.example:0",
        "http://a.example:65536",
        "http://a.example:+80",
        "http://a.example:8 0",
        "http://a.example:80:80",
        "http://[::1",
        "http://::1",
        "http://[::1]x",
        "http://[::1]80",
        "http://[fe80::1%25eth0]",
        "http://[127.0.0.1]",
        "http://2130706433",
        "http://0x7f000001",
        "http://0X7F.1",
        "http://0177.0.0.1",
        "http://0177.0.0.01",
        "http://127.1",
        "http://127.0.1",
        "http://0",
        "http://1.2.3.4.5",
        "http://256.1.1.1",
        "http://01.2.3.4",
        "http://１２７.0.0.1",
        "http://ⓛocalhost",
        "http://bücher.example",
        "http://a\u{202e}.example",
    ] {
        let refused = judged(url, &[]).unwrap_err();
        assert!(matches!(refused, Refused::Malformed { .. }), "{url:?}: {refused}");
    }
    assert_eq!(
        judged("http://xn--bcher-kva.example", &["93.184.216.34"]),
        Ok(()),
        "other names have a form in plain letters"
    );
}

#[test]
fn a_name_without_an_address_is_nowhere() {
    assert_eq!(judged("http://a.example", &[]), Err(Refused::Nowhere { host: "a.example".to_owned() }));
}

proptest! {
    #[test]
    fn no_notation_of_a_number_reaches_this_machine(octets: [u8; 3], form in 0u8..6) {
        let [b, c, d] = octets;
        let number = u32::from_be_bytes([127, b, c, d]);
        let host = match form {
            0 => format!("{number}"),
            1 => format!("0x{number:x}"),
            2 => format!("0{number:o}"),
            3 => format!("127.{}", number & 0x00ff_ffff),
            4 => format!("0x7f.{b}.{c}.0x{d:x}"),
            _ => format!("0177.{b}.{c}.{d}"),
        };
        prop_assert!(judged(&format!("http://{host}:9/"), &[]).is_err(), "{host}");
    }

    #[test]
    fn an_ipv4_address_is_never_reached_in_disguise(address: [u8; 4]) {
        let v4 = Ipv4Addr::from(address);
        for disguised in [v4.to_ipv6_mapped(), v4.to_ipv6_compatible()] {
            if disguised.is_loopback() { continue; }
            let refused = judged(&format!("http://[{disguised}]/"), &[]);
            prop_assert!(matches!(refused, Err(Refused::Forbidden { .. })), "{disguised}");
        }
    }

    #[test]
    fn one_bad_address_among_many_spoils_all(place in 0usize..4, bad in 0usize..4) {
        let mut resolved = vec!["93.184.216.34"; 4];
        resolved[place] = ["10.0.0.5", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.5"][bad];
        prop_assert!(judged("http://a.example", &resolved).is_err());
    }

    #[test]
    fn a_global_address_agrees_with_what_std_knows(address: [u8; 4]) {
        let v4 = Ipv4Addr::from(address);
        let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
            || v4.is_broadcast() || v4.is_unspecified() || v4.is_documentation();
        if special {
            prop_assert!(reach_v4(v4) != Reach::Everyone);
        }
    }

    #[test]
    fn nonsense_is_refused_without_a_panic(url in "(https?://)?[\\[\\]@:/?#.a-f0-9x%\\\\ -]{0,40}") {
        let _ = judged(&url, &["93.184.216.34"]);
    }
}
