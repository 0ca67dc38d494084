# The pages of the documentation: where they are, what they link to, the anchors of their headings.
package Pages;

use strict;
use warnings;
use utf8;

use Exporter 'import';
use File::Basename qw(dirname);

our @EXPORT_OK = qw(slurp headings links resolve slugs);

sub slurp
{
	my ($file) = @_;
	open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	local $/;
	return scalar <$in>;
}

# The text of a page, code blocks aside.
sub prose { return slurp($_[0]) =~ s/^```.*?^```[^\n]*$//gmsr }

sub headings { return prose($_[0]) =~ /^#{1,6}\s+(.*?)\s*$/gm }

# The anchors of headings in their order, as GitHub makes them.
sub slugs
{
	my (%seen, @slugs);
	foreach my $heading (@_)
	{
		my $slug = lc($heading =~ s/\[([^]]*)\]\([^)]*\)/$1/gr);
		$slug =~ s/[^\w\- ]//g;
		$slug =~ s/ /-/g;
		my $count = $seen{$slug}++;
		push @slugs, $count ? "$slug-$count" : $slug;
	}
	return @slugs;
}

# What a page links to in this repository.
sub links
{
	my $text = prose($_[0]) =~ s/`[^`\n]*`//gr;
	return grep { !/^(https?|mailto):/ } $text =~ /\]\(([^()\s]+)\)/g;
}

# The file that a link of a page leads to, and the anchor in it if there is one.
sub resolve
{
	my ($page, $link) = @_;
	my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
	return ($page, $anchor) if $path eq '';
	my $target = dirname($page) . "/$path";
	$target =~ s{^(\./)+}{};
	1 while $target =~ s{[^/]+/\.\./}{};
	return ($target, $anchor);
}

1;
