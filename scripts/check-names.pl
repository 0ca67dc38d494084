#!/usr/bin/perl
# Checks that what names something elsewhere in the repository names something that is there:
#
#   links of the pages, with their anchors
#   paths of files and folders, in pages, comments and scripts; in comments of sources also the names of
#   files alone
#   tests that show what comes of attacks, by words of theirs
#   TAP files: no two have one number; and no line is longer than 120 columns
#   sources of extension/, each in the page of its folder
#   patches of tests/mutants: the lines that they change
#   files of the root: what a trial leaves there is not committed beside a change
#   the version: of idp.control, META.json, debian/changelog, CHANGELOG.md, the install script and the upgrade
#   scripts; of packages, archives and upgrade scripts that the pages name; for each version from which an
#   upgrade script leads, its dump and its line in sql/upgrade.sql
#
# Usage: check-names.pl [root of the repository]. Prints what is wrong; exits 1 if anything is.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use File::Basename qw(dirname);
use File::Find;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/site";
use Pages qw(headings links resolve slugs slurp);

chdir($ARGV[0] // dirname(__FILE__) . '/..') or die "check-names: $!\n";

my $problems = 0;
sub complain { $problems++; print "$_[0]\n"; return }

# What there is: not what a build leaves behind, and not what is measured.
my (%there, @sources);
find(
	{
		no_chdir => 1,
		wanted => sub {
			my $path = $_ =~ s{^\./}{}r;
			if ($path =~ m{^(\.git|build[^/]*|results|tmp_check|log)$}) { $File::Find::prune = 1; return }
			$there{$path} = 1;
			push @sources, $path
			  if -f && $path =~ m{\.(md|h|cpp|sql|sh|pl|pm|gp|txt|in)$|^debian/[^/]+$|^Makefile$|^\.ci/};
		}
	},
	'.');
my %top = map { $_ => 1 } grep { -d && !/^\./ } keys %there;
my $top = join '|', sort grep { !m{/} } keys %top;

# --- the root --------------------------------------------------------------------------------------

my %of_root = map { $_ => 1 }
  qw(.clang-format .dockerignore .editorconfig .gitignore CHANGELOG.md CMakeLists.txt CONTRIBUTING.md Dockerfile LICENSE META.json Makefile README.md SECURITY.md idp.control);
foreach my $file (-e '.git' ? split /\n/, `git -c safe.directory='*' ls-files` : ())
{
	complain("$file: the root has no place for it") unless $file =~ m{/} || $of_root{$file};
}

# --- links ---------------------------------------------------------------------------------------

my %anchors; # of each page
foreach my $page (grep { /\.md$/ } sort @sources)
{
	foreach my $link (links($page))
	{
		my ($target, $anchor) = resolve($page, $link);
		if (!$there{$target})
		{
			complain("$page: links to $link, which is not there");
		}
		elsif (defined $anchor)
		{
			$anchors{$target} //= { map { $_ => 1 } slugs(headings($target)) };
			complain("$page: links to $link, but no heading of $target makes that anchor") unless $anchors{$target}{$anchor};
		}
	}
}

# --- paths ---------------------------------------------------------------------------------------

# A path begins with a folder of the repository's root. Pages may leave out the end of a source's
# name. A source of another project is not named so.
foreach my $file (sort @sources)
{
	my $text = slurp($file);
	while ($text =~ m{(?<![\w/.\$\}*%-])((?:$top)/[\w./-]*)}g)
	{
		my $path = $1;
		my $line = 1 + (substr($text, 0, $-[1]) =~ tr/\n//);
		next if substr($text, $+[1], 1) =~ /[*%\$<{…]/;    # a pattern, or a name that is put together
		$path =~ s{[/.-]+$}{};
		next if $there{$path};
		next if grep { $there{"$path.$_"} } qw(h cpp);
		complain("$file:$line: names $path, which is not there");
	}
}

# --- attacks -------------------------------------------------------------------------------------

# A line of a table: what is tried, and then files, each with words of its tests.
my $attacks = 0;
foreach my $line (grep { /^\| (?!way |#)/ } split /\n/, slurp('tests/attacks.md'))
{
	my ($what) = $line =~ /^\| (.*?) \|/;
	my @shown = $line =~ /`(tests[^`]+)`((?:,? "[^"]+")+)/g;
	complain("tests/attacks.md: no test for $what") unless @shown;
	$attacks++ if $what =~ /^\d+$/ && $what == $attacks + 1;
	while (my ($file, $words) = splice @shown, 0, 2)
	{
		next unless $there{$file};    # said above
		my $text = slurp($file);
		foreach ($words =~ /"([^"]+)"/g)
		{
			complain("tests/attacks.md: $file has no test of these words: $_") if index($text, $_) < 0;
		}
	}
}
complain("tests/attacks.md: no attack but $attacks") if $attacks < 34;

# --- numbers of TAP files ------------------------------------------------------------------------

my %numbered;
foreach my $file (grep { m{^tests/tap/\d+_[^/]*\.pl$} } sort keys %there)
{
	my ($number) = $file =~ m{/(\d+)_};
	complain("$file: has the number of $numbered{$number}") if $numbered{$number};
	$numbered{$number} = $file;
}

# --- lines of TAP files ---------------------------------------------------------------------------

# A tab is four columns. A regular expression that has a line to itself may be longer: it cannot be broken.
foreach my $file (grep { m{^tests/tap/[^/]+\.p[lm]$} } sort keys %there)
{
	my $number = 0;
	foreach my $line (split /\n/, slurp($file))
	{
		$number++;
		my $columns = length($line =~ s/\t/    /gr);
		next if $columns <= 120 || $line =~ m{^\s*(?:[?:.] )?(?:qr|m)?/\S.*/\w*[\s)\]\},;]*$};
		complain("$file:$number: a line of $columns columns, of 120 at most");
	}
}

# --- files, in comments ---------------------------------------------------------------------------

# By their names or the ends of their paths. Headers may also be others' that are included.
my %known;

sub know
{
	my @parts = split m{/}, $_[0];
	while (@parts) { $known{ join '/', @parts } = 1; shift @parts; }
	return;
}
know($_) foreach grep { -f } keys %there;
my @cpp = sort grep { /\.(h|cpp)$/ } @sources;
foreach my $file (@cpp) { know($_) foreach slurp($file) =~ /^\s*#\s*include\s*[<"]([^>"]+)/mg; }
foreach my $file (@cpp)
{
	my $text = slurp($file);
	while ($text =~ m{//(.*)}g)
	{
		my ($comment, $line) = ($1, 1 + (substr($text, 0, $-[1]) =~ tr/\n//));
		while ($comment =~ m{(?<![\w/.*\$\}-])((?:[\w-]+/)*[\w-]+\.(?:h|cpp|sh|pl|pm))\b}g)
		{
			complain("$file:$line: names $1, which is not there") unless $known{$1};
		}
	}
}

# --- files of folders ------------------------------------------------------------------------------

# The page of a folder names its sources, each without its end or with it.
foreach my $page (grep { m{^extension/[^/]+/README\.md$} } sort @sources)
{
	my $folder = dirname($page);
	my %named = map { $_ => 1 } slurp($page) =~ m{`(\w+)(?:\.(?:h|cpp))?`}g;
	my %sources = map { m{^\Q$folder\E/(\w+)\.(?:h|cpp)$} ? ($1 => 1) : () } keys %there;
	complain("$page: does not name $_") foreach grep { !$named{$_} } sort keys %sources;
}

# --- the version ---------------------------------------------------------------------------------

my ($version) = slurp('idp.control') =~ /^default_version = '([^']+)'$/m;
my $meta = JSON::PP->new->decode(slurp('META.json') =~ s/([^\x00-\x7f])/sprintf '\\u%04x', ord $1/ger);
my ($debian) = slurp('debian/changelog') =~ /^\S+ \(([^)]+)\)/;
my ($changes) = slurp('CHANGELOG.md') =~ /^## (\S+)/m;
foreach (
	[ 'META.json, version', $meta->{version} ],
	[ 'META.json, provides', $meta->{provides}{idp}{version} ],
	[ 'debian/changelog', $debian ],
	[ 'CHANGELOG.md', $changes ],)
{
	my ($where, $other) = @$_;
	complain("$where: version $other, but idp.control says $version") if $other ne $version;
}
foreach my $page (grep { /\.md$/ && $_ ne 'CHANGELOG.md' } sort @sources)
{
	foreach my $named (slurp($page) =~ /(postgresql-\d+-idp_\d[\d.]+|\bidp-\d[\d.]+\d|\bidp--\d[\d.]+--\d[\d.]+\d)/g)
	{
		complain("$page: names $named, but idp.control says $version") unless $named =~ /[-_]\Q$version\E$/;
	}
}
my @upgrades = map { m{/idp--([\d.]+)--([\d.]+)\.sql$} ? [ $1, $2 ] : () } @sources;
complain("no install script for version $version") unless grep { m{/idp--\Q$version\E\.sql$} } @sources;
complain("no upgrade script leads to version $version") unless grep { $_->[1] eq $version } @upgrades;
foreach my $before (map { $_->[0] } @upgrades)
{
	complain("tests/tap/released/$before.sql is not there, but an upgrade begins at $before") unless $there{"tests/tap/released/$before.sql"};
	complain("sql/upgrade.sql does not stop at version $before") unless slurp('sql/upgrade.sql') =~ /'\Q$before\E'/;
}
foreach my $key (qw(file docfile))
{
	my $path = $meta->{provides}{idp}{$key};
	complain("META.json, provides: $key $path is not there") unless $there{$path};
}

# --- mutants: each part of a patch changes lines that are there, in one piece ---

foreach my $patch (sort grep { m{^tests/mutants/.*\.patch$} } keys %there)
{
	my $file;
	foreach my $part (split /^(?=--- a\/|@@ )/m, slurp($patch))
	{
		if ($part =~ /^--- a\/(\S+)/) { $file = $1; next }
		next unless $part =~ s/^@@ .*\n//;
		my $before = join '', map { substr($_, 1) . "\n" } grep { !/^\+/ } split /\n/, $part;
		complain("$patch: does not fit $file any more") if !$there{$file} || index(slurp($file), $before) < 0;
	}
}

if ($problems)
{
	print "check-names: $problems problem(s)\n";
	exit 1;
}
print "check-names: all that is named is there\n";
